import { z } from 'zod'
import { findPatternProblem } from '@apprentice/contracts/devices/pattern.ts'
import { findMatches } from '../../../screen/pattern-match.ts'
import { type Candidate, defineResolver, type Resolution } from './resolver.ts'

/** More different values than this are not listed as candidates. */
const MAX_VALUES = 10

const Pattern = z
  .string()
  .min(1)
  .max(500)
  .superRefine((source, context) => {
    const problem = findPatternProblem(source)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

/**
 * A value that the instruction already contains literally, by pattern. The pattern is matched by an engine that takes
 * linear time, because packages come from outside. Its first group is the value, or the whole match if there is none.
 * It is searched in the text as it was written, because a literal is not changed.
 */
export const literalPassthrough = defineResolver({
  type: 'literal_passthrough',
  config: z.object({ pattern: Pattern, examples: z.array(z.string().max(80)).max(5).default([]) }),
  prepare: ({ pattern, examples }, { name }) => ({
    arg_names: [name],
    examples,
    resolve({ raw }): Resolution {
      const found = findMatches(pattern, raw, MAX_VALUES)
      if (found === undefined) return { status: 'missing' }
      const values = [...new Set(found.map(({ whole, groups }) => groups[0] ?? whole))].filter((value) => value !== '')
      const candidates = values.map((value): Candidate => ({ label: value, args: { [name]: value } }))
      const [only] = candidates
      if (only === undefined) return { status: 'missing' }
      return candidates.length > 1
        ? { status: 'ambiguous', candidates }
        : { status: 'resolved', ...only, found: values }
    },
  }),
})
