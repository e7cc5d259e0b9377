import { splitDocument } from '../markdown/document.ts'
import { readFields } from '../markdown/fields.ts'
import { betweenFences } from '../markdown/write-header.ts'

/** What a SKILL.md calls its type, allowed or not; undefined when it says nothing. */
export function declaredType(text: string): string | undefined {
  for (const line of splitDocument(text).header?.split('\n') ?? []) {
    const [, written] = /^clawperator-skill-type[ \t]*:(.*)$/.exec(line) ?? []
    if (written !== undefined) return scalarIn(written.trim())
  }
  return undefined
}

/** A text in quotes or without, and perhaps a comment after it. */
function scalarIn(written: string): string | undefined {
  const quoted = /^(["'])(.*?)\1[ \t]*(?:#.*)?$/.exec(written)
  const plain = quoted?.[2] ?? written.replace(/(?:^|[ \t])#.*$/, '')
  return plain.trim() === '' ? undefined : plain.trim()
}

/** What a SKILL.md says it is for. A head that cannot be read says nothing. */
export function descriptionIn(text: string): string | undefined {
  const read = readFields(splitDocument(text).header ?? '')
  const description = 'fields' in read ? read.fields['description'] : undefined
  return typeof description === 'string' ? description : undefined
}

/** A head with these three fields; the description is a block, so that nothing in it can be taken for YAML. */
export function writeFrontmatter({
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
  return betweenFences(
    `name: ${name}\nclawperator-skill-type: ${type}\ndescription: |-\n${block}\n`,
  )
}
