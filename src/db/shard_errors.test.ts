import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asRefusal } from "./refusals.ts";
import { asToldByOneServer } from "./shard_errors.ts";

const errorOf = (message: string, parts: object): Error => Object.assign(new Error(message), parts);

const insert = "insert into lead_status (organization_id, label) values ($1, $2)";
const key = "Key (organization_id, label)=(orga_1, New) already exists.";

describe("what a constraint refuses is told alike, by one server and by one of many:", () => {
  const refused: [what: string, statement: string, one: Error, many: Error][] = [
    [
      "a value that is there already",
      insert,
      errorOf('duplicate key value violates unique constraint "lead_status_label_key"', {
        code: "23505",
        constraint: "lead_status_label_key",
        table: "lead_status",
        detail: key,
      }),
      errorOf('duplicate key value violates unique constraint "lead_status_label_key_102131"', { code: "23505", detail: key }),
    ],
    [
      "the same where rows were copied in, which loses the code",
      insert,
      errorOf('duplicate key value violates unique constraint "lead_status_label_key"', {
        code: "23505",
        constraint: "lead_status_label_key",
        table: "lead_status",
      }),
      errorOf('ERROR:  duplicate key value violates unique constraint "lead_status_label_key_102131"', { code: "XX000" }),
    ],
    [
      "a record that does not exist",
      "insert into contact (organization_id) values ($1)",
      errorOf('insert or update on table "contact" violates foreign key constraint "contact_lead_id_fkey"', {
        code: "23503",
        constraint: "contact_lead_id_fkey",
        table: "contact",
        detail: 'Key (organization_id, lead_id)=(a, b) is not present in table "lead".',
      }),
      errorOf('insert or update on table "contact_102040" violates foreign key constraint "contact_lead_id_fkey_102040"', {
        code: "23503",
        detail: 'Key (organization_id, lead_id)=(a, b) is not present in table "lead_102008".',
      }),
    ],
    [
      "a record that is still used",
      "delete from lead where organization_id = $1",
      errorOf('update or delete on table "lead" violates foreign key constraint "contact_lead_id_fkey" on table "contact"', {
        code: "23503",
        constraint: "contact_lead_id_fkey",
        table: "contact",
        detail: 'Key (organization_id, id)=(a, b) is still referenced from table "contact".',
      }),
      errorOf(
        'update or delete on table "lead_102008" violates foreign key constraint "contact_lead_id_fkey_102040" on table "contact_102040"',
        { code: "23503", detail: 'Key (organization_id, id)=(a, b) is still referenced from table "contact_102040".' },
      ),
    ],
    [
      "a value out of bounds",
      "update opportunity set confidence = $1",
      errorOf('new row for relation "opportunity" violates check constraint "opportunity_confidence_check"', {
        code: "23514",
        constraint: "opportunity_confidence_check",
        table: "opportunity",
      }),
      errorOf('new row for relation "opportunity_102300" violates check constraint "opportunity_confidence_check"', {
        code: "23514",
      }),
    ],
  ];

  for (const [what, statement, one, many] of refused)
    test(what, () => {
      const told = asToldByOneServer(many, statement);

      const parts = ({ code, constraint, table, detail }: any) => ({ code, constraint, table, detail });
      assert.deepEqual(parts(told), parts(one));
      assert.deepEqual(asRefusal(told), asRefusal(one));
      assert.equal(asToldByOneServer(one, statement), one);
    });
});

test("any other error stays as it is, with whatever numbers it has", () => {
  const others = [
    errorOf("could not create distributed plan", { code: "XX000" }),
    errorOf('relation "lead_102008" does not exist', { code: "42P01" }),
    errorOf("the connection is gone", {}),
  ];

  for (const error of others) {
    const { message } = error;
    assert.equal(asToldByOneServer(error, insert), error);
    assert.equal(error.message, message);
  }
});
