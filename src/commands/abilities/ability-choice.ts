import type { z } from 'zod'
import {
  type AbilitySummary,
  listAvailability,
} from '@apprentice/contracts/abilities/availability.ts'
import { type AbilityMatch, lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import { table } from '../terminal/connection.ts'
import { UsageProblem } from '../terminal/usage-problem.ts'

type Known = z.infer<typeof AbilitySummary>

/** So much better than the next one, a match is what was meant. */
const clearLead = 0.1

/** Several abilities could be meant, or none. */
export class AbilityUnclear extends UsageProblem {
  readonly matches: readonly AbilityMatch[]

  constructor(message: string, matches: readonly AbilityMatch[]) {
    super(message)
    this.matches = matches
  }
}

/** The ability that is named: by its id, its slug, its title, or by words that lead to it and to no other. */
export async function chooseAbility(call: Call, name: string): Promise<Known> {
  const { abilities } = await call(listAvailability)
  return named(abilities, name) ?? (await foundByWords(call, abilities, name))
}

export function named(abilities: readonly Known[], name: string): Known | undefined {
  const title = name.toLowerCase()
  return (
    abilities.find(({ ability_id }) => ability_id === name) ??
    only(abilities.filter(({ ability_id }) => ability_id.endsWith(`.${name}`))) ??
    only(abilities.filter((ability) => ability.title.toLowerCase() === title))
  )
}

/** The first that can be used, if it leads clearly. */
export function leading<M extends Pick<AbilityMatch, 'score' | 'usable_now'>>(
  matches: readonly M[],
): M | undefined {
  const [first, second] = matches.filter(({ usable_now }) => usable_now)
  if (first === undefined || second === undefined) return first
  return first.score - second.score >= clearLead - Number.EPSILON ? first : undefined
}

export function matchTable(matches: readonly AbilityMatch[], abilities: readonly Known[]): string {
  const titles = new Map(abilities.map(({ ability_id, title }) => [ability_id, title]))
  return table([
    ['ABILITY', 'FIT', 'USABLE', 'TITLE'],
    ...matches.map(({ ability_id, score, usable_now, reason_unusable }) => [
      ability_id,
      score.toFixed(2),
      usable_now ? 'yes' : `no, ${reason_unusable ?? 'not now'}`,
      titles.get(ability_id) ?? '',
    ]),
  ])
}

async function foundByWords(
  call: Call,
  abilities: readonly Known[],
  words: string,
): Promise<Known> {
  const { matches } = await call(lookupAbilities, {
    body: { user_query: words, require_text_match: true, schema_version: 1 },
  })
  // The only one that fits is meant even if it cannot be used now: why not is then told.
  const best = leading(matches) ?? only(matches)
  const known = abilities.find(({ ability_id }) => ability_id === best?.ability_id)
  if (known !== undefined) return known
  const message =
    matches.length === 0
      ? `No ability fits "${words}"; \`apprentice abilities\` lists them.`
      : `"${words}" could mean any of these; name one by its id:\n${matchTable(matches, abilities)}`
  throw new AbilityUnclear(message, matches)
}

const only = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)
