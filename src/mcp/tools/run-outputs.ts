import { z } from 'zod'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'

/** More entries of a list are read with a further call. */
const LIST_PAGE = 20

export const MoreEntries = z.object({
  output: z.string(),
  total: z.int(),
  next_from: z.int().describe('get_run with this output and from returns the next entries'),
})

export interface ListPlace {
  /** The only output that is wanted. */
  readonly output?: string | undefined
  readonly from?: number
}

/** The outputs of a run, with the first entries of long lists, or the entries of one list from a place on. */
export function cutLists(outputs: AbilityRun['outputs'], { output, from = 0 }: ListPlace) {
  const more: z.input<typeof MoreEntries>[] = []
  const wanted = Object.entries(outputs).filter(([name]) => output === undefined || name === output)
  const cut = wanted.map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value] as const
    const end = from + LIST_PAGE
    if (end < value.length) more.push({ output: name, total: value.length, next_from: end })
    return [name, value.slice(from, end)] as const
  })
  return { outputs: Object.fromEntries(cut), ...(more.length === 0 ? {} : { more }) }
}
