/** `npm run ci`: brings what the tests need (as root on Debian through apt, elsewhere it says what), then checks and tests. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

interface Need {
  readonly what: string;
  readonly debianPackage: string;
  present(): boolean;
}

const NEEDS: readonly Need[] = [
  { what: "redis-server", debianPackage: "redis-server", present: () => onPath("redis-server") },
  { what: "bubblewrap", debianPackage: "bubblewrap", present: () => onPath("bwrap") },
  { what: "Chromium", debianPackage: "chromium", present: () => onPath("chromium") },
];

const STEPS: readonly (readonly string[])[] = [
  ["run", "check"],
  ["run", "test:unit"],
  ["run", "test:e2e"],
];

function onPath(program: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => existsSync(`${folder}/${program}`));
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  console.log(`\n> ${program} ${args.join(" ")}`);
  const { status, error } = spawnSync(program, args, { stdio: "inherit", env });
  if (status !== 0) {
    console.error(`${program} ${args.join(" ")} failed${error ? `: ${error.message}` : ` with status ${status}`}`);
    process.exit(status ?? 1);
  }
}

function install(missing: readonly Need[]): void {
  const packages = missing.map((need) => need.debianPackage);
  if (process.getuid?.() !== 0 || !onPath("apt-get")) {
    console.error(
      `The tests need ${missing.map((need) => need.what).join(" and ")}. Install: apt-get install ${packages.join(" ")}`,
    );
    process.exit(1);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  run("apt-get", ["update", "-q"], env);
  run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...packages], env);
}

const missing = NEEDS.filter((need) => !need.present());
if (missing.length > 0) install(missing);
for (const step of STEPS) run("npm", step);
