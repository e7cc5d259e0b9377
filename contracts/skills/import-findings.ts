/**
 * Everything a scan of a bundle can find. `fatal` ends the scan as failed, `error` makes the bundle incompatible.
 * A code is never renamed.
 */
interface FindingFacts {
  readonly effect: 'fatal' | 'error' | 'warning' | 'info'
  readonly message: string
  /** The skill needs an adapter before it can be used here. */
  readonly adapter?: true
  /** A name is taken: the bundle cannot go beyond the scan. */
  readonly collision?: true
}

export const findingTable = {
  ARCHIVE_UNREADABLE: fatal('The archive is damaged or is no zip this daemon reads.'),
  ARCHIVE_EMPTY: fatal('The archive holds no file.'),
  ARCHIVE_ENCRYPTED: fatal('An entry is encrypted.'),
  ARCHIVE_UNSUPPORTED_COMPRESSION: fatal('An entry is neither stored nor deflated.'),
  ARCHIVE_PATH_TRAVERSAL: fatal('An entry has a name that leads out of the bundle.'),
  ARCHIVE_SYMLINK: fatal('An entry is a symbolic link.'),
  ARCHIVE_SPECIAL_FILE: fatal('An entry is a device, a pipe, a socket or a hard link.'),
  ARCHIVE_TOO_MANY_ENTRIES: fatal('The archive has more than 2,000 entries.'),
  ARCHIVE_UNCOMPRESSED_TOO_LARGE: fatal('The archive unpacks to more than 500 MB.'),
  ARCHIVE_ENTRY_TOO_LARGE: fatal('An entry unpacks to more than 50 MB.'),
  ARCHIVE_RATIO_SUSPICIOUS: fatal('The archive unpacks to far more than it holds.'),
  ARCHIVE_OVERLAPPING_ENTRIES: fatal('Entries share bytes of the archive.'),
  ARCHIVE_SIZE_MISMATCH: fatal('What an entry holds is not what the archive says of it.'),
  ARCHIVE_DUPLICATE_ENTRY: fatal('Two entries have the same name.'),
  ARCHIVE_HIDDEN_DATA: error('The archive holds bytes that belong to no entry.'),
  ARCHIVE_CASE_COLLISION: error('Two names differ only in case or spelling of the same letters.'),
  ARCHIVE_PATH_TOO_LONG: error('A path is longer than 240 characters or deeper than 12 folders.'),
  ARCHIVE_CONFUSABLE_NAME: error('A name holds characters that cannot be seen or are not text.'),
  ARCHIVE_RESERVED_NAME: warning('A name that some systems keep for themselves.'),
  ARCHIVE_NESTED_ARCHIVE: warning('An archive within the archive; it is not opened.'),
  ARCHIVE_SETUID_BITS: warning('A file asks to run with the rights of somebody else; not kept.'),
  ARCHIVE_HIDDEN_FILES: warning('Hidden files; they are left out.'),
  ARCHIVE_JUNK_FILES: info('Files a desktop left behind; they are left out.'),

  SKILL_MD_MISSING: fatal('There is no SKILL.md, neither at the top nor in the one top folder.'),
  SKILL_MD_MULTIPLE: error('There is more than one skill in the bundle.'),
  SKILL_MD_NOT_UTF8: error('SKILL.md is not UTF-8.'),
  SKILL_MD_WRONG_CASE: warning('SKILL.md is not spelled that way.'),
  SKILL_MD_TOO_LARGE: warning('SKILL.md is too long to be read whenever the skill is relevant.'),
  SKILL_MD_BODY_EMPTY: warning('SKILL.md says nothing below its frontmatter.'),
  SKILL_MD_PARAM_DUMP: warning('SKILL.md holds large JSON; that belongs in references or schemas.'),
  BUNDLE_LEGACY_RUNTIME_FILE: warning('A file of an older packaging; nothing reads it.'),
  BUNDLE_BINARY_EXECUTABLE: error('A program for some machine.'),
  BUNDLE_INSTALLER: error('An installer or a package of native code.'),
  BUNDLE_UNKNOWN_TOP_LEVEL: info('A top-level name that means nothing in a bundle.'),
  BUNDLE_LARGE_ASSET: info('A file of more than 10 MB.'),
  REFERENCE_BROKEN_LINK: warning('SKILL.md refers to a file that is not in the bundle.'),
  REFERENCE_OUTSIDE_BUNDLE: error('SKILL.md refers to a file outside the bundle.'),

  FRONTMATTER_MISSING: error('SKILL.md has no frontmatter.'),
  FRONTMATTER_UNPARSABLE: error('The frontmatter is not YAML.'),
  FRONTMATTER_UNSAFE_YAML: error('The frontmatter uses tags, aliases or merge keys.'),
  FRONTMATTER_NAME_MISSING: error('The frontmatter has no name.'),
  FRONTMATTER_NAME_INVALID: error(
    'The name is not of the form a-z, 0-9 and hyphens, 2 to 64 long.',
  ),
  FRONTMATTER_NAME_DIR_MISMATCH: warning('The name is not that of the folder.'),
  FRONTMATTER_DESCRIPTION_MISSING: error('The frontmatter has no description.'),
  FRONTMATTER_DESCRIPTION_TOO_LONG: warning('The description is cut to 500 characters.'),
  FRONTMATTER_DESCRIPTION_NO_WHEN: warning('The description does not say when to use the skill.'),
  FRONTMATTER_TITLE_DEFAULTED: info('The title was taken from the first heading or the name.'),
  FRONTMATTER_VERSION_DEFAULTED: info('The version was set to 1.0.0.'),
  FRONTMATTER_VERSION_NOT_SEMVER: warning('The version is not of the form 1.2.3.'),
  FRONTMATTER_TRIGGERS_MISSING: warning('No triggers; they were made from the description.'),
  FRONTMATTER_TRIGGER_TOO_LONG: warning('A trigger is longer than 200 characters; it was cut.'),
  FRONTMATTER_TRIGGER_TOO_BROAD: warning('A trigger that would fit almost anything.'),
  FRONTMATTER_TRIGGER_CONFLICT: error('The same words both trigger the skill and keep it away.'),
  FRONTMATTER_NEGATIVE_TRIGGERS_MISSING: info('Nothing says when the skill is not meant.'),
  FRONTMATTER_KEY_NORMALIZED: info('A key was spelled in another way.'),
  FRONTMATTER_KEY_UNKNOWN: info('A key nothing here reads.'),
  FRONTMATTER_SCHEMA_VERSION_UNSUPPORTED: error('The frontmatter is of another schema version.'),
  FRONTMATTER_CONTROL_SURFACE_UNKNOWN: withAdapter(warning('A control surface unknown here.')),
  FRONTMATTER_NAMESPACE_INVALID: error('The assigned namespace is not of the right form.'),
  FRONTMATTER_ENUM_INVALID: warning(
    'A value that is none of those allowed; the default was taken.',
  ),

  MANIFEST_INVALID_JSON: error('A capability manifest is not JSON.'),
  MANIFEST_SCHEMA_INVALID: error('A capability manifest does not fit its schema.'),
  MANIFEST_ID_DUPLICATE: error('Two manifests name the same capability.'),
  MANIFEST_ID_COLLISION: colliding(error('A capability of that id is installed already.')),
  MANIFEST_ORIGIN_MISMATCH: warning('A manifest names another skill as its origin.'),
  MANIFEST_BINDING_TARGET_MISSING: error('A manifest is bound to a file that is not there.'),
  MANIFEST_BINDING_OUTSIDE_BUNDLE: error('A manifest is bound to a file outside the bundle.'),
  MANIFEST_NO_VERIFICATION: error('A manifest does not say how its outcome is verified.'),
  MANIFEST_HEALTH_PROBE_UNSAFE: error('A health probe that does more than look.'),
  MANIFEST_LEGACY_SURFACE: info('An older name of a control surface; it was translated.'),
  MANIFEST_MISSING: info('There is no capability manifest; one will be made.'),

  SKILL_NAME_COLLISION: colliding(error('Another skill of that name is installed.')),
  SKILL_NAME_SHADOWS_BUNDLED: withAdapter(
    warning('A skill that comes with the agent has that name.'),
  ),
  TOOL_SHADOWING_CORE: colliding(error('A tool of the bundle has the name of a core tool.')),
  TOOL_SHADOWING_INSTALLED: withAdapter(
    warning('A tool of the bundle has the name of an installed one.'),
  ),
  NAMESPACE_COLLISION: colliding(error('No free namespace is left for the bundle.')),
  TRIGGER_COLLISION: warning('Another ability is triggered by nearly the same words.'),
  CONTENT_DUPLICATE: info('The same archive was imported before.'),

  SECRET_PRIVATE_KEY: error('A private key.'),
  SECRET_KNOWN_TOKEN: error('An access token.'),
  SECRET_ENV_FILE: error('A file of environment secrets.'),
  SECRET_HIGH_ENTROPY: warning('Something that looks like a secret.'),
  SECRET_IN_MCP_BINDING: error('A secret in a binding to a server.'),
  BLOCKED_TERM: error('A term the operator does not allow.'),

  SCRIPT_CANONICAL_WRITE: error("A script reaches into the daemon's own files."),
  SCRIPT_CONFIG_WRITE: error('A script writes configuration instead of asking for the change.'),
  SCRIPT_REMOTE_EXEC: error('A script downloads something and runs it.'),
  SCRIPT_DESTRUCTIVE: error('A script may destroy data.'),
  SCRIPT_PRIVILEGE_ESCALATION: error('A script asks for more rights.'),
  SCRIPT_PERSISTENCE: error('A script arranges to be run again.'),
  SCRIPT_CREDENTIAL_ACCESS: error('A script reads credentials.'),
  SCRIPT_NETWORK_EGRESS: warning('A script uses the network.'),
  SCRIPT_DYNAMIC_EVAL: warning('A script makes code as it runs.'),
  SCRIPT_OBFUSCATED: error('A script hides what it does.'),
  SCRIPT_PACKAGE_INSTALL: warning('A script installs packages.'),
  SCRIPT_IO_CONTRACT: info('A script that does not speak JSON in and out.'),
  SCRIPT_PRESENT: info('The bundle has scripts.'),

  PROMPT_INJECTION_PATTERN: error('Words that try to override what the agent was told.'),
  HIDDEN_TEXT: error('Text that a person would not see.'),
  REMOTE_INSTRUCTIONS: warning('Instructions are to be fetched from an address and followed.'),
  ALLOWED_TOOLS_WILDCARD: warning('The skill asks for every tool, or for any command.'),
  ALLOWED_TOOLS_UNKNOWN: withAdapter(warning('The skill asks for a tool unknown here.')),
  MEMORY_WRITE_INSTRUCTION: error("Instructions to write the agent's memory."),
  RIGID_ACTION_SEQUENCE: warning('Clicks, selectors or coordinates instead of outcomes.'),

  CONNECTOR_HINT_UNREGISTERED: warning('A connector that is not registered here.'),
  MCP_BINDING_UNREGISTERED: withAdapter(warning('A server that is not registered here.')),
  SUPPORT_PACK_MISSING: warning('A support pack that is not here.'),
  DEPENDS_ON_MISSING: withAdapter(warning('A skill it depends on is not installed.')),
  DEPENDS_ON_CYCLE: error('The skill depends on itself.'),
  PACK_UNKNOWN: warning('A skill pack unknown here.'),
  ADAPTER_REQUIRED: withAdapter(warning('The skill was made for another runtime.')),
  PLATFORM_UNSUPPORTED: withAdapter(warning('Something that works on another platform only.')),

  RECIPE_UNFIT: error('A recipe of the bundle breaks its rules.'),
  TRIGGER_TESTS_MISSING: warning('There are no trigger tests.'),
  TRIGGER_TESTS_INSUFFICIENT: warning('Fewer than three trigger tests of some kind.'),
  TRIGGER_TESTS_FAILING: warning('A trigger test of the bundle does not hold.'),
  SMOKE_TESTS_MISSING: info('There are no smoke tests.'),
  LICENSE_MISSING: info('No licence is named.'),
  SOURCE_MISMATCH: info('The bundle does not look like one of the source it was said to be of.'),
  FINDINGS_CUT: info('There is more to find than is listed.'),
} as const satisfies Record<string, FindingFacts>

export type FindingCode = keyof typeof findingTable

export const findingFacts: Readonly<Record<FindingCode, FindingFacts>> = findingTable

function fatal(message: string): FindingFacts {
  return { effect: 'fatal', message }
}

function error(message: string): FindingFacts {
  return { effect: 'error', message }
}

function warning(message: string): FindingFacts {
  return { effect: 'warning', message }
}

function info(message: string): FindingFacts {
  return { effect: 'info', message }
}

function withAdapter(facts: FindingFacts): FindingFacts {
  return { ...facts, adapter: true }
}

function colliding(facts: FindingFacts): FindingFacts {
  return { ...facts, collision: true }
}
