import { z } from 'zod'

const MAX_ENTRIES = 20_000
const MAX_ALIASES = 50

const Name = z.string().max(200).regex(/\S/, 'must not be blank')
const Entity = z.object({ label: Name, code: Name })

/** The documented form. */
const Entries = z.object({
  entries: z.array(Entity.extend({ aliases: z.array(Name).max(MAX_ALIASES).default([]) })).max(MAX_ENTRIES),
})
/** An entity for each alias, as some systems export them. */
const ByAlias = z.record(Name, Entity)

export interface DictionaryEntry {
  readonly label: string
  readonly code: string
  readonly aliases: readonly string[]
}

export function parseDictionary(
  text: string,
): { readonly entries: readonly DictionaryEntry[] } | { readonly reason: string } {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return { reason: 'is not valid JSON' }
  }
  const entries = Entries.safeParse(document)
  const byAlias = entries.success ? undefined : ByAlias.safeParse(document)
  const read = entries.success
    ? entries.data.entries
    : byAlias?.success === true
      ? groupByCode(byAlias.data)
      : undefined
  if (read === undefined) return { reason: 'must be {"entries": [{"label", "code", "aliases"}]}' }
  if (read.length === 0) return { reason: 'has no entries' }
  if (read.length > MAX_ENTRIES) return { reason: `has more than ${MAX_ENTRIES} entries` }
  return findLabelProblem(read) ?? { entries: read }
}

function groupByCode(byAlias: z.infer<typeof ByAlias>): DictionaryEntry[] {
  const groups = new Map<string, { label: string; code: string; aliases: string[] }>()
  for (const [alias, { label, code }] of Object.entries(byAlias)) {
    const key = JSON.stringify([code, label])
    const group = groups.get(key) ?? { label, code, aliases: [] }
    group.aliases.push(alias)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** A code must have one label, or the same instruction could give either. */
function findLabelProblem(entries: readonly DictionaryEntry[]): { readonly reason: string } | undefined {
  const labels = new Map<string, string>()
  for (const { code, label } of entries) {
    const other = labels.get(code)
    if (other !== undefined && other !== label) return { reason: `has two labels for the code ${code}` }
    labels.set(code, label)
  }
  return undefined
}
