-- An automation that always starts showed that one run at a time is allowed for a record, which it never heeded. It says now what it does.
update automation set settings = settings || '{"max_concurrent_per_record": null}'
where settings->>'re_enroll' = 'always' and settings->'max_concurrent_per_record' = '1';
update automation set published = jsonb_set(published, '{settings,max_concurrent_per_record}', 'null')
where published->'settings'->>'re_enroll' = 'always' and published->'settings'->'max_concurrent_per_record' = '1';
update automation_version set settings = settings || '{"max_concurrent_per_record": null}'
where settings->>'re_enroll' = 'always' and settings->'max_concurrent_per_record' = '1';
