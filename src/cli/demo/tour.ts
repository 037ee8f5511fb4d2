/** The tour: what an LLM client does, step by step, each answer shown in a line or two. */
import type { DemoClient } from "./client.ts";
import type { Choice } from "./person.ts";

type Json = { readonly [field: string]: unknown };

export interface Guide {
  step(title: string): void;
  show(line: string): void;
}

/** Throws when an answer is not what the step needs: a broken tour must not end well. */
export async function walk(
  { client, steppingUp }: DemoClient,
  person: Omit<Choice, "access">,
  guide: Guide,
): Promise<void> {
  const call = async (name: string, args: Json): Promise<Json> => {
    const answer = await client.callTool({ name, arguments: { ...args } });
    const [block] = answer.content as readonly { readonly type: string; readonly text?: string }[];
    const json = JSON.parse(block?.text ?? "null") as Json;
    if (answer.isError) throw new Error(`${name} failed: ${String(json.error)}`);
    return json;
  };
  const execute = (tool: string, args: Json = {}, location?: string) =>
    call("unifi_execute", { tool, arguments: args, ...(location === undefined ? {} : { location }) });

  guide.step("The list that a model starts with");
  const { tools } = await client.listTools();
  guide.show(`${tools.map((tool) => tool.name).join(", ")}: ${JSON.stringify(tools).length} bytes`);

  guide.step("unifi_list_locations");
  const places = (await call("unifi_list_locations", {})).locations as readonly Json[];
  guide.show(places.map((place) => `${place.id} (${place.name}, ${place.status})`).join("; "));

  guide.step('unifi_tool_index, search "port forward"');
  const index = await call("unifi_tool_index", { search: "port forward", limit: 4 });
  for (const tool of index.tools as readonly Json[]) guide.show(`${tool.name}: ${tool.description}`);

  guide.step("A read of both locations at once: unifi_list_clients");
  const clients = await execute("unifi_list_clients", { limit: 3 });
  for (const place of clients.locations as readonly { location: string; data: Json }[]) {
    const rows = place.data.clients as readonly Json[];
    guide.show(
      `${place.location}: ${rows.map((row) => row.name ?? row.hostname ?? row.mac).join(", ")} … of ${place.data.total}`,
    );
  }

  const record = { key: "printer.demo.example", value: "192.0.2.77", record_type: "A" };
  guide.step("A write, shown first: unifi_create_dns_record at house");
  const preview = await execute("unifi_create_dns_record", { record_data: record }, "house");
  guide.show(
    `requires_confirmation: ${preview.requires_confirmation}; would create ${JSON.stringify(preview.preview)}`,
  );
  const created = await execute("unifi_create_dns_record", { record_data: record, confirm: true }, "house");
  guide.show(`confirmed: persisted ${JSON.stringify(created.persisted)}`);

  guide.step("A delete asks for its preview's token: unifi_delete_dns_record");
  const records = (await execute("unifi_list_dns_records", {}, "house")).records as readonly Json[];
  const id = records.find((row) => row.key === record.key)?.id;
  const question = await steppingUp(() => execute("unifi_delete_dns_record", { record_id: id }, "house"), {
    ...person,
    access: "unifi:admin",
  });
  guide.show("403 insufficient_scope → the person is asked again, for deletes too → the same call goes on");
  guide.show(`confirm_token: ${String(question.confirm_token).slice(0, 16)}…, valid once, for this record only`);
  const gone = await execute(
    "unifi_delete_dns_record",
    { record_id: id, confirm_token: question.confirm_token },
    "house",
  );
  guide.show(String(gone.message ?? "deleted and read back: gone"));

  guide.step("A batch across both locations");
  const operations = ["house", "office"].flatMap((location) =>
    ["unifi_get_system_info", "unifi_get_network_health", "unifi_list_networks"].map((tool) => ({ tool, location })),
  );
  const batch = await call("unifi_batch", { operations });
  guide.show(String(batch.message));
  const status = await call("unifi_batch_status", { batchId: batch.batchId, wait_seconds: 20 });
  for (const job of status.jobs as readonly Json[]) guide.show(`${job.location} ${job.tool}: ${job.status}`);
  if ((status.jobs as readonly Json[]).some((job) => job.status !== "done"))
    throw new Error("The batch did not end well.");
}
