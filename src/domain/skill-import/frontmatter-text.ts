import { type Document, isMap, parseDocument } from 'yaml'
import { isRecord } from '../../../contracts/devices/matcher.ts'
import { parseYamlText } from '../recipes/parse-yaml.ts'
import type { Findings } from './findings.ts'

export interface SkillDocument {
  /** Absent when there is none that can be read. */
  readonly header?: Readonly<Record<string, unknown>> | undefined
  readonly body: string
}

/** Splits a SKILL.md into its header and what it says. Never throws; what is wrong is found. */
export function readSkillDocument(text: string, findings: Findings): SkillDocument {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const parts = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)([\s\S]*)$/.exec(plain)
  if (parts === null) {
    findings.add('FRONTMATTER_MISSING', { path: 'SKILL.md' })
    return { body: plain }
  }
  const [, block = '', body = ''] = parts
  return { header: readHeader(block, findings), body }
}

function readHeader(
  block: string,
  findings: Findings,
): Readonly<Record<string, unknown>> | undefined {
  const read = asHeader(block) ?? asHeader(quoted(block))
  if (read !== undefined) return read
  const code = isYaml(block) ? 'FRONTMATTER_UNSAFE_YAML' : 'FRONTMATTER_UNPARSABLE'
  findings.add(code, { path: 'SKILL.md' })
  return undefined
}

function asHeader(block: string): Readonly<Record<string, unknown>> | undefined {
  if (block.trim() === '') return {}
  const read = parseYamlText(block, { firstLine: 2, path: [], rule: 'parse' })
  return 'value' in read && isRecord(read.value) ? read.value : undefined
}

/** Many write `description: Use when: …` without quotes, which is no YAML and still clear. */
const quoted = (block: string): string =>
  block
    .split('\n')
    .map((line) => {
      const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+([^\s"'[{|>&*!#].*)$/.exec(line) ?? []
      return key === undefined || value === undefined ? line : `${key}: ${JSON.stringify(value)}`
    })
    .join('\n')

/** YAML it is, only not of the kind that is read here. */
function isYaml(block: string): boolean {
  let document: Document.Parsed
  try {
    document = parseDocument(block, { prettyErrors: false, logLevel: 'silent' })
  } catch {
    return false
  }
  return document.errors.length === 0 && isMap(document.contents)
}
