/** What administrative commands print: a table for people, or JSON for programs. */

export type Row = Readonly<Record<string, string>>;

/** Columns in the order of the first row; `none` is said when there are no rows. */
export function tableOf(rows: readonly Row[], none: string): string {
  const [first] = rows;
  if (first === undefined) return `${none}\n`;
  const columns = Object.keys(first);
  const widths = columns.map((name) => Math.max(name.length, ...rows.map((row) => (row[name] ?? "").length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd();
  const body = rows.map((row) => line(columns.map((name) => row[name] ?? "")));
  return [line(columns.map((name) => name.toUpperCase())), ...body].map((text) => `${text}\n`).join("");
}

export interface PrintOption {
  readonly json?: boolean;
}

/** `value` as JSON with --json, else `words`. */
export function print({ json }: PrintOption, value: unknown, words: string): void {
  process.stdout.write(json === true ? `${JSON.stringify(value, undefined, 2)}\n` : words);
}

/** ISO 8601 to the minute, for tables. */
export function minute(iso: string): string {
  return iso.replace("T", " ").slice(0, 16);
}
