import { Buffer } from 'node:buffer'
import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a test archive. Absent fields get correct values. */
export interface ZipEntrySpec {
  readonly name: string
  readonly content?: string | Buffer
  readonly mode?: number
  readonly stored?: boolean
  readonly flags?: number
  readonly method?: number
  /** Wrong values for the header fields. */
  readonly size?: number
  readonly compressed?: number
  readonly crc?: number
  readonly localName?: string
  readonly localSize?: number
  readonly extra?: Buffer
  /** Bytes before the entry that belong to no entry. */
  readonly before?: Buffer
  /** The offset in the directory. */
  readonly at?: number
  readonly packed?: Buffer
}

/** Builds a zip byte by byte, so that it can be invalid. */
export function buildZip(
  entries: readonly ZipEntrySpec[],
  { comment = '', count = entries.length, after = Buffer.alloc(0) } = {},
): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const made = buildEntry(entry)
    parts.push(entry.before ?? Buffer.alloc(0), made.local, made.data)
    at += entry.before?.length ?? 0
    directory.push(made.header(entry.at ?? at))
    at += made.local.length + made.data.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06_05_4b_50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(at, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...parts, central, end, Buffer.from(comment), after])
}

function buildEntry(entry: ZipEntrySpec) {
  const { name, mode = 0o100644, flags = 0x08_00, extra = Buffer.alloc(0) } = entry
  const content = Buffer.from(entry.content ?? '')
  const stored = entry.stored ?? content.length < 20
  const data = entry.packed ?? (stored ? content : deflateRawSync(content))
  const facts = {
    flags,
    method: entry.method ?? (stored ? 0 : 8),
    crc: entry.crc ?? crc32(content),
    compressed: entry.compressed ?? data.length,
  }
  const size = entry.size ?? content.length
  const localName = Buffer.from(entry.localName ?? name)
  const local = Buffer.concat([buildHead(0x04_03_4b_50, 30), localName])
  writeFacts(local, 6, {
    ...facts,
    size: entry.localSize ?? size,
    name: localName.length,
    extra: 0,
  })
  return {
    local,
    data,
    header: (at: number) => {
      const named = Buffer.from(name)
      const header = Buffer.concat([buildHead(0x02_01_4b_50, 46), named, extra])
      header.writeUInt16LE(0x03_14, 4)
      writeFacts(header, 8, { ...facts, size, name: named.length, extra: extra.length })
      header.writeUInt32LE((mode * 0x1_00_00) >>> 0, 38)
      header.writeUInt32LE(at, 42)
      return header
    },
  }
}

function buildHead(signature: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUInt32LE(signature)
  return bytes
}

interface EntryFacts {
  flags: number
  method: number
  crc: number
  compressed: number
  size: number
  name: number
  extra: number
}

function writeFacts(bytes: Buffer, at: number, facts: EntryFacts): void {
  bytes.writeUInt16LE(facts.flags, at)
  bytes.writeUInt16LE(facts.method, at + 2)
  bytes.writeUInt16LE(0x21, at + 6)
  bytes.writeUInt32LE(facts.crc, at + 8)
  bytes.writeUInt32LE(facts.compressed, at + 12)
  bytes.writeUInt32LE(facts.size, at + 16)
  bytes.writeUInt16LE(facts.name, at + 20)
  bytes.writeUInt16LE(facts.extra, at + 22)
}

/** A valid SKILL.md. */
export const buildSkillDocument = (name = 'tidy-notes'): string =>
  [
    '---',
    `name: ${name}`,
    'title: Tidy notes',
    'description: Sorts the notes of a day. Use when notes pile up.',
    'version: 1.2.0',
    'license: MIT',
    'triggers: [tidy my notes, sort the notes of today]',
    'negative-triggers: [write a note]',
    'allowed-tools: read, write',
    '---',
    '',
    '# Tidy notes',
    '',
    'The notes of the day are in one list, the oldest first. See [the rules](references/rules.md).',
    '',
  ].join('\n')

export const TRIGGER_TESTS = JSON.stringify([
  ...['tidy my notes', 'please tidy my notes', 'sort the notes of today'].map((input) => ({
    input,
    should_trigger: true,
    kind: 'positive',
  })),
  ...['write a note', 'weather tomorrow', 'play music loudly'].map((input) => ({
    input,
    should_trigger: false,
    kind: 'negative',
  })),
  ...['my notes are a mess', 'order in the notes', 'clean notes'].map((input) => ({
    input,
    should_trigger: true,
    kind: 'paraphrase',
  })),
])

export const buildBundle = (name = 'tidy-notes'): ZipEntrySpec[] => [
  { name: 'SKILL.md', content: buildSkillDocument(name) },
  { name: 'references/rules.md', content: '# Rules\n\nOldest first.\n' },
  { name: 'assets/picture.bin', content: Buffer.from([0, 1, 2, 3, 250, 251]) },
  { name: 'tests/trigger-tests.json', content: TRIGGER_TESTS },
]

/** A valid capability manifest of the skill in `buildBundle`. */
export const buildManifest = (changes: object = {}): object => ({
  capability_id: 'notes.tidy',
  family: 'notes',
  title: 'Tidy notes',
  origin_skill: 'tidy-notes',
  kind: 'promoted_skill',
  aliases: [],
  action_verbs: ['tidy'],
  surface_order: ['app_api'],
  runtime_binding: { binding_kind: 'workflow_pattern', target: 'SKILL.md' },
  required_runtime_caps: [],
  permissions: [],
  requires_supervision: true,
  dry_run_supported: false,
  routing_eligible: true,
  verification: [{ kind: 'manual_confirmation', target: 'The notes are in order' }],
  health_probe: { kind: 'noop', target: 'notes.tidy', timeout_ms: 1000 },
  learning_policy: {
    teach_mode_allowed: true,
    auto_capture_trace: true,
    proposal_required_for_mutation: true,
  },
  schema_version: 1,
  ...changes,
})
