import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { Arrangement, type RankedSlots } from './slot-index.ts'
import { BestMatches } from './best-matches.ts'
import { bitsOf, eachBit, hasBit } from './bits.ts'
import { InnerTexts } from './substring-index.ts'
import { type QueryMatch, partsOf } from './query-match.ts'
import { inProject, inTitle, scoreAt, standingOf } from './score-table.ts'
import {
  type Query,
  readAbility,
  type Readable,
  scopeOf,
  type Scored,
  threshold,
  type LookupAbility,
} from './scorer.ts'
import { TitleIndex } from './title-index.ts'
import { TriggerIndex } from './trigger-index.ts'
import { WordBook } from './vocabulary.ts'

export const mostMatches = 10
/** More changes than this are quicker to take in all at once. */
const fewChanges = 1000

export type Indexed = Scored & Pick<LookupAbility, 'ability_id' | 'owner_user_id' | 'visibility'>

/** Who asks, and what may be found for them. */
export interface Asking {
  readonly caller: string
  readonly project_id?: string | undefined
  readonly lanes: ReadonlySet<OpenLane>
  /** Abilities found only for what they are, not by a trigger or their title, are left out. */
  readonly require_text_match: boolean
}

export interface Match {
  readonly ability: Indexed
  readonly score: number
}

const MIN_STALE_TEXTS = 1000

interface Entry {
  readonly ability: Indexed
  readonly words: Readable
  readonly standing: number
  /** The numbers its texts are known by. */
  readonly title: number
  readonly triggers: readonly number[]
}

/**
 * Finds what the scorer would find among all abilities without scoring them all: those whose words a query meets are
 * looked up, and of the others, which differ by their standing alone, only the first of each standing matter.
 */
export class AbilityIndex {
  readonly #slots = new Map<string, number>()
  readonly #entries: (Entry | undefined)[] = []
  readonly #triggers: TriggerIndex
  readonly #titles: TitleIndex
  readonly #negatives = new InnerTexts()
  #arrangement = new Arrangement([])
  /** The slots whose abilities are to be arranged anew. */
  readonly #unarranged = new Set<number>()
  #texts = 0
  /** Texts of changed and removed abilities. They stay in the word lists until the index is rebuilt. */
  #staleTexts = 0

  constructor() {
    const book = new WordBook()
    this.#triggers = new TriggerIndex(book)
    this.#titles = new TitleIndex(book)
  }

  get size(): number {
    return this.#slots.size
  }

  /** Whether more than half of the texts in memory are stale. */
  get needsRebuild(): boolean {
    return this.#staleTexts > MIN_STALE_TEXTS && this.#staleTexts > this.#texts
  }

  /** A new index of the same abilities without stale texts. */
  rebuild(): AbilityIndex {
    const index = new AbilityIndex()
    for (const entry of this.#entries) if (entry !== undefined) index.set(entry.ability)
    return index
  }

  /** A new ability, or one that changed. */
  set(ability: Indexed): void {
    const slot = this.#slots.get(ability.ability_id) ?? this.#newSlot(ability.ability_id)
    const before = this.#entries[slot]
    const words = readAbility(ability)
    const isSame = before !== undefined && sameWords(before.words, words)
    if (before !== undefined && !isSame) this.#forget(slot, before)
    const known = isSame ? before : this.#learn(slot, words)
    this.#entries[slot] = { ...known, words, ability, standing: standingFor(ability) }
    this.#unarranged.add(slot)
  }

  remove(abilityId: string): void {
    const slot = this.#slots.get(abilityId)
    const entry = slot === undefined ? undefined : this.#entries[slot]
    if (slot === undefined || entry === undefined) return
    this.#forget(slot, entry)
    this.#slots.delete(abilityId)
    this.#entries[slot] = undefined
    this.#unarranged.add(slot)
  }

  /** The best of those that pass the threshold: by score, then by id. */
  find(query: Query, asking: Asking): Match[] {
    const arrangement = this.arrange()
    const best = new BestMatches(mostMatches, { floor: threshold, ranks: arrangement.ranks })
    const met = this.#meet(query, asking, arrangement)
    weighMet(best, met, { standings: arrangement.standings, byText: asking.require_text_match })
    if (met.least > 0 || !asking.require_text_match) {
      weighOthers(best, met, arrangement.shelvesFor(asking.caller, asking.lanes))
    }
    return best.found.map(({ slot, score }) => ({ ability: this.#entry(slot).ability, score }))
  }

  /** Done by itself when it is needed. */
  arrange(): Arrangement {
    const isMuch = this.#unarranged.size > fewChanges
    if (isMuch || this.#entries.length > this.#arrangement.room) {
      this.#arrangement = new Arrangement(this.#entries)
    } else {
      for (const slot of this.#unarranged) {
        const entry = this.#entries[slot]
        if (entry === undefined) this.#arrangement.drop(slot)
        else this.#arrangement.put(slot, entry)
      }
    }
    this.#unarranged.clear()
    return this.#arrangement
  }

  #meet(query: Query, asking: Asking, arrangement: Arrangement): QueryMatch {
    const { room } = arrangement
    const { project_id } = asking
    // An empty word is found in every title, and two words found are a match.
    const inAllTitles = query.words.filter((word) => word === '').length >= 2
    return {
      ...this.#triggers.meet(query, room),
      titles: this.#titles.meet(query, room),
      refused: bitsOf(room, this.#negatives.within(query.text)),
      project: bitsOf(room, project_id === undefined ? [] : arrangement.inProject(project_id)),
      open: arrangement.openTo(asking.caller, asking.lanes),
      least: inAllTitles ? inTitle : 0,
    }
  }

  #entry(slot: number): Entry {
    const entry = this.#entries[slot]
    if (entry === undefined) throw new Error(`There is no ability in slot ${slot}.`)
    return entry
  }

  #newSlot(abilityId: string): number {
    const slot = this.#entries.push(undefined) - 1
    this.#slots.set(abilityId, slot)
    return slot
  }

  #learn(slot: number, { triggers, negatives, title }: Readable) {
    this.#texts += 1 + triggers.length + negatives.length
    for (const negative of negatives) this.#negatives.add(negative, slot)
    return {
      title: this.#titles.add(title, slot),
      triggers: triggers.map(({ text }, position) => this.#triggers.add(text, slot, position)),
    }
  }

  #forget(slot: number, { words, title, triggers }: Entry): void {
    const count = 1 + triggers.length + words.negatives.length
    this.#texts -= count
    this.#staleTexts += count
    for (const negative of words.negatives) this.#negatives.remove(negative, slot)
    this.#titles.remove(title)
    for (const number of triggers) this.#triggers.remove(number)
  }
}

function weighMet(
  best: BestMatches,
  met: QueryMatch,
  { standings, byText }: { standings: Uint8Array; byText: boolean },
): void {
  for (const { meeting, most, slots } of partsOf(met)) {
    if (most < best.floor || (byText && meeting < inTitle)) continue
    eachBit(slots(), (slot) => {
      const how = hasBit(met.project, slot) ? meeting | inProject : meeting
      const score = scoreAt(standings[slot] ?? 0, how)
      if (score >= best.floor) best.add(slot, score)
    })
  }
}

/** Those a query did not meet score the same, shelf by shelf: the first that is not good enough ends the shelf. */
function weighOthers(best: BestMatches, met: QueryMatch, shelves: readonly RankedSlots[]): void {
  const { full, partial, titles, refused, project, least } = met
  const metBy = [full, partial, titles, refused, project]
  for (const { standing, slots } of shelves) {
    const score = scoreAt(standing, least)
    for (const slot of slots) {
      if (!metBy.some((bits) => hasBit(bits, slot)) && !best.add(slot, score)) break
    }
  }
}

function standingFor(ability: Indexed): number {
  if (ability.install_lane === 'quarantined') throw new Error('What is quarantined is not found.')
  const global = scopeOf(ability, undefined) === 'global'
  return standingOf({ ...ability, install_lane: ability.install_lane, global })
}

function sameWords(one: Readable, other: Readable): boolean {
  const triggers = ({ triggers: all }: Readable) => all.map(({ text }) => text)
  return (
    one.title === other.title &&
    sameTexts(one.negatives, other.negatives) &&
    sameTexts(triggers(one), triggers(other))
  )
}

const sameTexts = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at])
