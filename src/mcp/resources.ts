/** The resources: readable at any time, since none of them asks a console. */
import { apiReference } from "../catalog/api-reference.ts";
import type { Manifest } from "../catalog/manifest.ts";
import { printable } from "../catalog/printable.ts";
import type { Caller } from "./caller.ts";
import type { Execution } from "./execution.ts";
import { RPC_CODES, RpcError } from "./json-rpc.ts";
import { locationsJson } from "./tool-calls.ts";

export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

export interface ResourceContents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

export interface Resources {
  readonly list: readonly ResourceEntry[];
  /** Throws RpcError; `notFoundCode` differs between the eras. */
  read(caller: Caller, uri: string, notFoundCode: number): ResourceContents;
}

const API_REFERENCE: ResourceEntry = {
  uri: "unifi://api-reference",
  name: "api-reference",
  title: "UniFi API reference",
  description: "Endpoints, request and response examples, query options and write rules.",
  mimeType: "text/markdown",
};

const LOCATIONS: ResourceEntry = {
  uri: "unifi://locations",
  name: "locations",
  title: "UniFi locations",
  description: "Your locations: id, name, organisation, online or offline since, apps.",
  mimeType: "application/json",
};

/** `located` = the gateway flavour; `local` has one place and nothing to list. */
export function createResources(manifest: Manifest, execution: Execution, located: boolean): Resources {
  const reference = apiReference(manifest);
  const entries: readonly (readonly [ResourceEntry, (caller: Caller) => string])[] = [
    [API_REFERENCE, () => reference],
    ...(located ? [[LOCATIONS, (caller: Caller) => locationsJson(execution, { caller })] as const] : []),
  ];

  return {
    list: entries.map(([entry]) => entry),
    read(caller, uri, notFoundCode) {
      const found = entries.find(([entry]) => entry.uri === uri);
      if (found === undefined) {
        const named = printable(uri, 200);
        throw new RpcError(notFoundCode, `There is no resource ${named}.`, { uri: named });
      }
      const [entry, read] = found;
      return { uri: entry.uri, mimeType: entry.mimeType, text: read(caller) };
    },
  };
}

export const NOT_FOUND_CODE = { modern: RPC_CODES.invalidParams, legacy: RPC_CODES.resourceNotFound } as const;
