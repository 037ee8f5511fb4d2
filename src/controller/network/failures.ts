/** Turns an exchange without an answer into our error: what may have happened depends on how far the request got. */
import { EdgeError, type EdgeErrorOptions } from "../../errors.ts";
import { codeOf, untrustedError } from "../tls.ts";
import { ExchangeError } from "./exchange.ts";
import { unreachable } from "./unreachable.ts";

/** Network failures by Node's or undici's code, in words. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens on that port",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ETIMEDOUT: "it did not answer",
  UND_ERR_CONNECT_TIMEOUT: "it did not answer",
  ECONNRESET: "it closed the connection",
  UND_ERR_SOCKET: "it closed the connection",
};

/** Everything that an exchange throws, as an EdgeError. `writes` = an effect may hide behind a lost answer. */
export function exchangeFailure(thrown: unknown, writes: boolean): unknown {
  if (!(thrown instanceof ExchangeError)) return thrown;
  const untrusted = untrustedError(thrown.cause);
  if (untrusted !== undefined) return untrusted;
  const options: EdgeErrorOptions = { executed: "no", cause: thrown };

  if (thrown.sent && writes) {
    return new EdgeError(
      "OUTCOME_UNKNOWN",
      `The change was sent, but ${lostBecause(thrown)}; it may have taken effect.`,
      {
        cause: thrown,
        hint: "Read the object back before trying again.",
      },
    );
  }
  if (thrown.reason === "cancelled") return new EdgeError("CANCELLED", "The call was cancelled.", options);
  if (thrown.reason === "too_large") {
    return new EdgeError("TOO_LARGE", "The console's answer is larger than an agent takes.", {
      ...options,
      hint: "Ask for a shorter time span or fewer rows.",
    });
  }
  if (thrown.reason === "timeout" && thrown.sent) {
    return new EdgeError("TIMEOUT", "The console did not answer in time.", options);
  }
  return unreachable(`The console cannot be reached: ${lostBecause(thrown)}.`, { cause: thrown });
}

function lostBecause(error: ExchangeError): string {
  if (error.reason === "cancelled") return "the call was cancelled";
  if (error.reason === "timeout") return "it did not answer in time";
  if (error.reason === "too_large") return "its answer was too large";
  return WORDS[codeOf(error.cause)] ?? "the connection failed";
}
