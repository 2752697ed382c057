-- Pushes contacts to mailing platforms: whom an export covers, what became of each, and how far it is.
alter table mailing_export
  add column n_excluded jsonb not null default '{}',
  add column error text,
  add column file_id text collate "C",
  -- A batch that the platform works on.
  add column receipt text,
  -- A platform that is away or asks to wait.
  add column tries integer not null default 0,
  add column failing_since timestamptz(3),
  -- The size of the next batch, while it is known that a platform refuses somebody in a larger one.
  add column batch_most integer;
call reference('mailing_export', 'file_id', 'file');

create table mailing_export_item (
  organization_id text collate "C" not null references organization (id),
  mailing_export_id text collate "C" not null,
  ord integer not null,
  contact_id text collate "C" not null,
  -- The batch of those that are `sending` may have arrived.
  status text not null default 'pending' check (status in ('pending', 'sending', 'pushed', 'skipped', 'failed')),
  -- The address by which the platform knows them, so that nobody is there twice.
  address text,
  error text,
  date_created timestamptz(3) not null,
  primary key (organization_id, mailing_export_id, ord),
  constraint mailing_export_item_mailing_export_id_fkey foreign key (organization_id, mailing_export_id)
    references mailing_export (organization_id, id)
);
call tenant_table('mailing_export_item');
create index mailing_export_item_open_idx on mailing_export_item (organization_id, mailing_export_id, status, ord);
create index mailing_export_item_address_idx on mailing_export_item (organization_id, mailing_export_id, address) where address is not null;
create index mailing_export_item_date_created_idx on mailing_export_item (date_created);
