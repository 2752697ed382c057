// The names of the people who created and changed a record, as every core record shows them.
import { label } from "../../core/field.ts";

export const authorNames = {
  created_by_name: label("created_by", "user", "name", "The name of the user who created it."),
  updated_by_name: label("updated_by", "user", "name", "The name of the user who last changed it."),
};
