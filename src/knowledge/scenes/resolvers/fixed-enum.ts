import { z } from 'zod'
import { foldText } from '../text/fold-text.ts'
import { PhraseIndex, selectLongest } from '../text/phrase-index.ts'
import { type Candidate, defineResolver } from './resolver.ts'

const OptionText = z.string().max(80).regex(/\S/, 'must not be blank')
const Option = z.object({
  value: z.union([z.string().min(1).max(200), z.number(), z.boolean()]),
  texts: z.array(OptionText).min(1).max(50),
})

/** Words of the instruction that stand for fixed values: `options = [{ value = "month", texts = ["月累计"] }]`. */
export const fixedEnum = defineResolver({
  type: 'fixed_enum',
  config: z.object({ options: z.array(Option).min(1).max(200) }),
  prepare({ options }, { name }) {
    const byText = new Map<string, Candidate>()
    for (const [at, { value, texts }] of options.entries()) {
      for (const text of texts) {
        const folded = foldText(text)
        const other = byText.get(folded)
        if (other !== undefined && other.args[name] !== value) {
          return { problem: { key: `options.${at}.texts`, reason: `contains ${text}, which another value has too` } }
        }
        byText.set(folded, { label: text, args: { [name]: value } })
      }
    }
    const index = new PhraseIndex(byText.keys())
    return {
      arg_names: [name],
      examples: options.map(({ texts: [first = ''] }) => first),
      resolve({ folded }) {
        const hits = selectLongest(index.findAll(folded))
        const found = hits.flatMap(({ phrase }) => byText.get(phrase) ?? [])
        const candidates = found.filter(
          ({ args }, at) => found.findIndex((one) => one.args[name] === args[name]) === at,
        )
        const [only] = candidates
        if (only === undefined) return { status: 'missing' }
        if (candidates.length > 1) return { status: 'ambiguous', candidates }
        return { status: 'resolved', ...only, found: [...new Set(hits.map(({ phrase }) => phrase))] }
      },
    }
  },
})
