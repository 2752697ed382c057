-- Checks at once what `defer_constraints` put off, so that who brings many things back learns which of them cannot be.
create function check_constraints() returns void
  language plpgsql as $$
begin
  set constraints all immediate;
end $$;
