-- A session's id is unique in its tenant: nobody finds out which ids another tenant uses, or takes one from it.
ALTER TABLE recuerdo.sessions DROP CONSTRAINT sessions_pkey;
ALTER TABLE recuerdo.sessions ADD PRIMARY KEY (tenant, session);
DROP POLICY holder ON recuerdo.sessions;
