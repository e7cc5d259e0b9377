import { z } from 'zod'
import { PackagePath } from '@apprentice/contracts/scenes/manifest.ts'
import { foldText } from '../text/fold-text.ts'
import { type PhraseHit, PhraseIndex, selectLongest } from '../text/phrase-index.ts'
import { type DictionaryEntry, parseDictionary } from './dictionary.ts'
import { type Candidate, defineResolver } from './resolver.ts'

const FieldName = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/)
const MAX_CANDIDATES = 20

/**
 * An entity of a dictionary of the package, by any of its aliases. The longest alias of the instruction wins; two different
 * codes of the same length are ambiguous.
 */
export const dictionaryEntity = defineResolver({
  type: 'dictionary_entity',
  config: z.object({
    dictionary_ref: PackagePath,
    output_label_field: FieldName.optional(),
    output_code_field: FieldName.optional(),
  }),
  listFiles: ({ dictionary_ref }) => [{ key: 'dictionary_ref', path: dictionary_ref }],
  prepare({ dictionary_ref, output_label_field, output_code_field }, { name, files }) {
    const parsed = parseDictionary(files.get(dictionary_ref) ?? '')
    if ('reason' in parsed)
      return { problem: { key: 'dictionary_ref', reason: `(${dictionary_ref}) ${parsed.reason}` } }
    const label = output_label_field ?? `${name}_label`
    const code = output_code_field ?? `${name}_code`
    if (label === code) {
      return { problem: { key: 'output_code_field', reason: `is ${code}, which output_label_field is too` } }
    }
    const aliases = indexAliases(parsed.entries)
    const index = new PhraseIndex(aliases.keys())
    const toCandidate = (entry: DictionaryEntry): Candidate => ({
      label: entry.label,
      args: { [label]: entry.label, [code]: entry.code },
    })
    return {
      arg_names: [label, code],
      examples: parsed.entries.slice(0, 3).map(({ aliases: [alias], label: title }) => alias ?? title),
      resolve({ folded }) {
        const hits = index.findAll(folded)
        const longest = Math.max(0, ...hits.map(({ phrase }) => phrase.length))
        const winning = hits.filter(({ phrase }) => phrase.length === longest)
        const entries = listEntries(winning, aliases)
        const [only] = entries
        if (only === undefined) return { status: 'missing' }
        if (entries.length > 1) {
          return { status: 'ambiguous', candidates: entries.slice(0, MAX_CANDIDATES).map(toCandidate) }
        }
        const others = listEntries(selectLongest(hits), aliases).filter((entry) => entry.code !== only.code)
        return {
          status: 'resolved',
          ...toCandidate(only),
          found: [...new Set(winning.map(({ phrase }) => phrase))],
          ...(others.length === 0 ? {} : { note: formatOthers(others) }),
        }
      },
    }
  },
})

/** The entries of each folded alias. The label of an entry is an alias too. */
function indexAliases(entries: readonly DictionaryEntry[]): Map<string, DictionaryEntry[]> {
  const byAlias = new Map<string, DictionaryEntry[]>()
  for (const entry of entries) {
    for (const alias of new Set([entry.label, ...entry.aliases].map(foldText))) {
      byAlias.set(alias, [...(byAlias.get(alias) ?? []), entry])
    }
  }
  return byAlias
}

/** The different entries of the hits, in the order of their codes. */
function listEntries(
  hits: readonly PhraseHit[],
  aliases: ReadonlyMap<string, readonly DictionaryEntry[]>,
): DictionaryEntry[] {
  const byCode = new Map(hits.flatMap(({ phrase }) => aliases.get(phrase) ?? []).map((entry) => [entry.code, entry]))
  return [...byCode.values()].toSorted((a, b) => (a.code < b.code ? -1 : 1))
}

const formatOthers = (others: readonly DictionaryEntry[]): string =>
  `${others.map(({ label, code }) => `${label} (${code})`).join(', ')} is named too, by a shorter name.`.slice(0, 240)
