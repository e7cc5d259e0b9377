import type { PortableFrontmatter } from '@apprentice/contracts/skills/import-record.ts'
import { findBodyOffset, startsWithHeader } from '../markdown/document.ts'
import { writeHeader } from '../markdown/write-header.ts'
import { normalizeKey } from './frontmatter-keys.ts'

/** The keys that this daemon writes. All others belong to the author or to the agent and stay as they are. */
const OWN_KEYS = new Set<string>([
  'title',
  'version',
  'triggers',
  'negative_triggers',
  'support_packs',
  'connector_hints',
  'depends_on',
  'preferred_control_surfaces',
  'estimated_cost_class',
  'assigned_namespace',
  'portability_grade',
  'schema_version',
])

type OwnFields = Partial<PortableFrontmatter>

/**
 * The copy of an imported document for the agent. The bytes of every field that this daemon does not own are kept, as
 * are comments and the body. A byte order mark is dropped, because agents do not find a header behind one.
 */
export function writeAgentDocument(document: string, frontmatter: OwnFields): string {
  const text = document.replace(/^\uFEFF/, '')
  const bodyAt = findBodyOffset(text)
  const kept = startsWithHeader(text) && bodyAt > 0 ? removeOwnFields(readHeaderText(text, bodyAt)) : undefined
  if (kept === undefined) return `${writeHeader(nameFields(frontmatter))}${text.slice(bodyAt)}`
  const own = nameFields(Object.fromEntries(Object.entries(frontmatter).filter(([key]) => OWN_KEYS.has(key))))
  const written = writeHeader(own).replace(/^---\n/, '')
  return `---\n${kept}${written}${text.slice(bodyAt)}`
}

/** The text between the fences. */
function readHeaderText(text: string, bodyAt: number): string {
  const start = text.indexOf('\n') + 1
  const closing = text.lastIndexOf('---', bodyAt - 3)
  return text.slice(start, closing)
}

/** Hyphens are the spelling of portable examples. */
const nameFields = (fields: OwnFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key.replaceAll('_', '-'), value]))

const TOP_LEVEL_KEY = /^(?:"([\w -]{1,80})"|'([\w -]{1,80})'|([A-Za-z][\w-]{0,79}))[ \t]*:(?:\s|$)/

/**
 * The header without the fields of this daemon; undefined if it is not a list of fields. A field ends where the next one
 * starts: all lines of a value are indented or are entries of a list. Works on a header that is not quite YAML, too.
 */
function removeOwnFields(header: string): string | undefined {
  let [isOwn, isList] = [false, false]
  const kept = splitLines(header).filter((line) => {
    const [, double, single, plain] = TOP_LEVEL_KEY.exec(line) ?? []
    const key = double ?? single ?? plain
    if (key !== undefined) {
      isList = true
      isOwn = OWN_KEYS.has(normalizeKey(key))
    } else if (line.startsWith('#')) isOwn = false
    return !isOwn
  })
  if (!isList) return undefined
  const text = kept.join('')
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** The lines with their line ends. */
const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
