-- Files, and the bytes they leave behind.

-- What a file is for: the key stands in `file.subtype`.
create table file_subtype (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  key text not null,
  label text not null,
  type text,
  description text,
  is_system boolean not null default false,
  position integer not null default 0,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('file_subtype');
create unique index file_subtype_key_key on file_subtype (organization_id, key);
create index file_subtype_date_created_idx on file_subtype (organization_id, date_created desc, id desc);

-- The subtypes an organization starts with, in their order.
create function file_subtype_seeds() returns table (key text, label text, type text, place integer)
  language sql immutable as $$
  values
    ('proposal', 'Proposal', null, 0),
    ('contract', 'Contract', null, 1),
    ('quote', 'Quote', null, 2),
    ('invoice', 'Invoice', null, 3),
    ('brochure', 'Brochure', null, 4),
    ('case_study', 'Case study', null, 5),
    ('one_pager', 'One-pager', null, 6),
    ('pricing', 'Pricing', null, 7),
    ('presentation', 'Presentation', null, 8),
    ('nda', 'NDA', null, 9),
    ('onboarding', 'Onboarding', null, 10),
    ('recording', 'Recording', null, 11),
    ('signature_image', 'Signature image', 'image', 12),
    ('other', 'Other', null, 13)
$$;

-- Bytes with a name. They lie in the storage under `storage_key`; a file without a lead belongs to the organization as a whole.
create table file (
  organization_id text collate "C" not null references organization (id),
  id text collate "C" not null,
  lead_id text collate "C",
  contact_id text collate "C",
  opportunity_id text collate "C",
  name text not null,
  mime text not null,
  size bigint not null,
  type text not null,
  subtype text,
  outreach_channel text,
  is_system boolean not null default false,
  sha256 text not null,
  width integer,
  height integer,
  storage_key text collate "C" not null,
  -- The link's secret is found by its hash and shown to members from the sealed copy.
  share_hash text collate "C" not null,
  share_token text not null,
  search tsvector,
  created_by text collate "C",
  updated_by text collate "C",
  date_created timestamptz(3) not null,
  date_updated timestamptz(3) not null,
  version integer not null default 1,
  primary key (organization_id, id)
);
call tenant_table('file');
call reference('file', 'lead_id', 'lead');
call reference('file', 'contact_id', 'contact');
call reference('file', 'opportunity_id', 'opportunity');
create index file_date_created_idx on file (organization_id, date_created desc, id desc);
create index file_subtype_idx on file (organization_id, subtype) where subtype is not null;
create index file_search_idx on file using gin (search);
-- Both are found without their organization: 192 and 160 random bits make them unique.
create unique index file_share_hash_key on file (share_hash, organization_id);
create unique index file_storage_key_key on file (storage_key, organization_id);
-- An outreach slot holds one file: of a contact, an opportunity, a lead or the organization, for a channel and a subtype.
create unique index file_outreach_channel_key on file
  (organization_id, coalesce(contact_id, opportunity_id, lead_id, ''), outreach_channel, coalesce(subtype, ''))
  where outreach_channel is not null;

-- A file that loses its contact or its deal is not sent to everybody else instead, and one that arrives with a merged record does
-- not push out the file that is there: both leave their slot.
create function leave_outreach_slot() returns trigger
  language plpgsql as $$
begin
  if (old.contact_id is not null and new.contact_id is null)
    or (old.opportunity_id is not null and new.opportunity_id is null)
    or (old.lead_id is not null and new.lead_id is null)
    or exists (
      select from file f
      where f.organization_id = new.organization_id and f.id <> new.id
        and coalesce(f.contact_id, f.opportunity_id, f.lead_id, '') = coalesce(new.contact_id, new.opportunity_id, new.lead_id, '')
        and f.outreach_channel = new.outreach_channel and coalesce(f.subtype, '') = coalesce(new.subtype, ''))
  then
    new.outreach_channel := null;
  end if;
  return new;
end $$;
create trigger leave_outreach_slot before update of lead_id, contact_id, opportunity_id on file
  for each row when (new.outreach_channel is not null
    and (old.lead_id, old.contact_id, old.opportunity_id) is distinct from (new.lead_id, new.contact_id, new.opportunity_id))
  execute function leave_outreach_slot();

-- Stored bytes that must go once `due` has come: of files that are gone, and of uploads that never became a file. It has no key to its
-- organization because it outlives it; the service sweeps it on starting and every few seconds.
create table stored_bytes_removal (
  organization_id text collate "C" not null,
  storage_key text collate "C" not null,
  due timestamptz(3) not null,
  primary key (organization_id, storage_key)
);
call tenant_table('stored_bytes_removal');
create index stored_bytes_removal_due_idx on stored_bytes_removal (due);

-- Whatever deletes a file, its bytes are removed after the commit.
create function remove_stored_bytes() returns trigger
  language plpgsql as $$
begin
  insert into stored_bytes_removal (organization_id, storage_key, due) values (old.organization_id, old.storage_key, now())
  on conflict (organization_id, storage_key) do update set due = excluded.due;
  return null;
end $$;
create trigger remove_stored_bytes after delete on file for each row execute function remove_stored_bytes();

-- A file that comes back, such as one that had moved to another organization, keeps its bytes.
create function keep_stored_bytes() returns trigger
  language plpgsql as $$
begin
  delete from stored_bytes_removal where organization_id = new.organization_id and storage_key = new.storage_key;
  return null;
end $$;
create trigger keep_stored_bytes after insert on file for each row execute function keep_stored_bytes();
