import { parseDocument } from 'yaml'
import { isRecord } from '../../../contracts/devices/matcher.ts'

/** The head of a SKILL.md: the lines between the first two `---`, if it begins with them. */
export function frontmatterOf(text: string): string | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines[0]?.trimEnd() !== '---') return undefined
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---')
  return end < 0 ? undefined : lines.slice(1, end).join('\n')
}

/** What a SKILL.md calls its type, allowed or not; undefined when it says nothing. */
export function declaredType(text: string): string | undefined {
  for (const line of frontmatterOf(text)?.split('\n') ?? []) {
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
  const head = frontmatterOf(text)
  if (head === undefined || head.length > LONGEST_HEAD) return undefined
  const document = parseDocument(head, { logLevel: 'silent', uniqueKeys: false })
  if (document.errors.length > 0) return undefined
  try {
    const fields: unknown = document.toJS({ maxAliasCount: 0 })
    const description = isRecord(fields) ? fields['description'] : undefined
    return typeof description === 'string' ? description : undefined
  } catch {
    return undefined
  }
}

const LONGEST_HEAD = 64_000

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
  return `---\nname: ${name}\nclawperator-skill-type: ${type}\ndescription: |-\n${block}\n---\n`
}
