import { splitDocument } from '../markdown/document.ts'
import { readFields } from '../markdown/fields.ts'
import { wrapInFences } from '../markdown/write-header.ts'

/** The declared type of a SKILL.md, valid or not. */
export function readDeclaredType(text: string): string | undefined {
  for (const line of splitDocument(text).header?.split('\n') ?? []) {
    const [, written] = /^clawperator-skill-type[ \t]*:(.*)$/.exec(line) ?? []
    if (written !== undefined) return parseScalar(written.trim())
  }
  return undefined
}

/** Parses a YAML scalar on one line, quoted or not, with an optional comment. */
function parseScalar(written: string): string | undefined {
  const quoted = /^(["'])(.*?)\1[ \t]*(?:#.*)?$/.exec(written)
  const plain = quoted?.[2] ?? written.replace(/(?:^|[ \t])#.*$/, '')
  return plain.trim() === '' ? undefined : plain.trim()
}

/** Undefined when the header cannot be parsed. */
export const readDescription = (text: string): string | undefined => readTextField(text, 'description')

/** The name in the header. Undefined when it cannot be parsed. */
export const readName = (text: string): string | undefined => readTextField(text, 'name')

function readTextField(text: string, name: string): string | undefined {
  const read = readFields(splitDocument(text).header ?? '')
  const value = 'fields' in read ? read.fields[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The description is a block scalar, so that none of its text is parsed as YAML. */
export function formatFrontmatter({
  name,
  type,
  description,
}: {
  readonly name: string
  readonly type: string
  readonly description: string
}): string {
  const block = description
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : `  ${line}`))
    .join('\n')
  return wrapInFences(`name: ${name}\nclawperator-skill-type: ${type}\ndescription: |-\n${block}\n`)
}
