import type { z } from 'zod'
import { type AbilitySummary, listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { type AbilityMatch, lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { formatTable } from '../terminal/table.ts'
import { UsageError } from '../terminal/usage-error.ts'

type Ability = z.infer<typeof AbilitySummary>

/** A match is chosen if its score exceeds the next one's by this much. */
const CLEAR_LEAD = 0.1

/** The words match no ability, or several equally well. */
export class AmbiguousAbilityError extends UsageError {
  readonly matches: readonly AbilityMatch[]

  constructor(message: string, matches: readonly AbilityMatch[]) {
    super(message)
    this.matches = matches
  }
}

/** Finds an ability by its id, its slug, its title, or words that match it clearly better than any other. */
export async function chooseAbility(call: Call, name: string): Promise<Ability> {
  const { abilities } = await call(listAvailability)
  return findByName(abilities, name) ?? (await findByQuery(call, abilities, name))
}

export function findByName(abilities: readonly Ability[], name: string): Ability | undefined {
  const title = name.toLowerCase()
  return (
    abilities.find(({ ability_id }) => ability_id === name) ??
    onlyElement(abilities.filter(({ ability_id }) => ability_id.endsWith(`.${name}`))) ??
    onlyElement(abilities.filter((ability) => ability.title.toLowerCase() === title))
  )
}

/** The best usable match, if it is clearly better than the next one. */
export function findClearLeader<M extends Pick<AbilityMatch, 'score' | 'usable_now'>>(
  matches: readonly M[],
): M | undefined {
  const [first, second] = matches.filter(({ usable_now }) => usable_now)
  if (first === undefined || second === undefined) return first
  return first.score - second.score >= CLEAR_LEAD - Number.EPSILON ? first : undefined
}

export function formatMatches(matches: readonly AbilityMatch[], abilities: readonly Ability[]): string {
  const titles = new Map(abilities.map(({ ability_id, title }) => [ability_id, title]))
  return formatTable([
    ['ABILITY', 'SCORE', 'USABLE', 'TITLE'],
    ...matches.map(({ ability_id, title, score, usable_now, reason_unusable }) => [
      ability_id,
      score.toFixed(2),
      usable_now ? 'yes' : `no, ${reason_unusable ?? 'not now'}`,
      titles.get(ability_id) ?? title,
    ]),
  ])
}

async function findByQuery(call: Call, abilities: readonly Ability[], query: string): Promise<Ability> {
  const { matches } = await call(lookupAbilities, {
    body: { user_query: query, require_text_match: true, include_skills: false, schema_version: 1 },
  })
  // A single match is chosen even if it is unusable now: the run then reports why.
  const best = findClearLeader(matches) ?? onlyElement(matches)
  const known = abilities.find(({ ability_id }) => ability_id === best?.ability_id)
  if (known !== undefined) return known
  const message =
    matches.length === 0
      ? `No ability matches "${query}". List them with \`${hintCommand('abilities')}\`.`
      : `"${query}" matches several abilities. Choose one by its id:\n${formatMatches(matches, abilities)}`
  throw new AmbiguousAbilityError(message, matches)
}

const onlyElement = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)
