/** What the administration API is asked: parameters and bodies. Rules of ids, names and lifetimes are the records'. */
import Type from "typebox";
import { RoleName, ScopeName } from "./answers.ts";

const closed = { additionalProperties: false } as const;
const Id = Type.String({ minLength: 1, maxLength: 200 });
const Name = Type.String({ minLength: 1, maxLength: 256 });
const Password = Type.String({ minLength: 1, maxLength: 1024 });

export const OrgParams = Type.Object({ org: Id });
export const LocationParams = Type.Object({ org: Id, location: Id });
export const AgentParams = Type.Object({ org: Id, agent: Id });
export const AccountParams = Type.Object({ account: Name });
export const MemberParams = Type.Object({ org: Id, account: Name });
export const AccessTokenParams = Type.Object({ org: Id, token: Id });
export const AdminTokenParams = Type.Object({ token: Id });
export const GrantParams = Type.Object({ org: Id, grant: Id });

export const NewNamed = Type.Object({ name: Name, id: Type.Optional(Id) }, closed);
export const Rename = Type.Object({ name: Name }, closed);
export const NewEnrolment = Type.Object(
  { ttl_seconds: Type.Optional(Type.Integer({ minimum: 1 })), uses: Type.Optional(Type.Integer({ minimum: 1 })) },
  closed,
);
export const NewAccount = Type.Object({ name: Name, password: Password, email: Type.Optional(Name) }, closed);
export const NewPassword = Type.Object({ password: Password }, closed);
/** `null` takes the person out of the organisation. */
export const NewRole = Type.Object({ role: Type.Union([RoleName, Type.Null()]) }, closed);
export const NewAccessToken = Type.Object(
  {
    /** Account name. */
    owner: Name,
    label: Name,
    scopes: Type.Array(ScopeName, { minItems: 1, maxItems: 3 }),
    locations: Type.Union([Type.Literal("all"), Type.Array(Id, { minItems: 1, maxItems: 1000 })]),
    ttl_seconds: Type.Integer({ minimum: 1 }),
  },
  closed,
);
export const NewAdminToken = Type.Object(
  { label: Name, ttl_seconds: Type.Optional(Type.Integer({ minimum: 1 })) },
  closed,
);
