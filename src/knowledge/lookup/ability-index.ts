import type { AbilityKind, OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { SlotIndex, type SlotList } from './slot-index.ts'
import { BestMatches } from './best-matches.ts'
import { toBits, forEachBit, hasBit } from './bits.ts'
import { SubstringIndex } from './substring-index.ts'
import { type QueryMatch, groupByKind } from './query-match.ts'
import { IN_PROJECT, IN_TITLE, getScore, toScoreClass } from './score-table.ts'
import {
  type Query,
  readAbilityTexts,
  type AbilityTexts,
  findScope,
  type ScoredFields,
  MIN_SCORE,
  type LookupAbility,
} from './scorer.ts'
import { TitleIndex } from './title-index.ts'
import { TriggerIndex } from './trigger-index.ts'
import { Vocabulary } from './vocabulary.ts'

export const MAX_MATCHES = 10
/** With more changes than this, rebuilding the slot index is faster than updating it. */
const MAX_SINGLE_UPDATES = 1000

export type IndexedAbility = ScoredFields &
  Pick<LookupAbility, 'ability_id' | 'owner_user_id' | 'visibility'> & {
    /** Does not change the score. */
    readonly unproven?: boolean | undefined
    /** Does not change the score. By default guidance. */
    readonly kind?: AbilityKind | undefined
  }

/** The caller of a lookup and the abilities that may be returned. */
export interface LookupOptions {
  readonly caller: string
  readonly project_id?: string | undefined
  readonly lanes: ReadonlySet<OpenLane>
  /** Omits abilities that match neither by a trigger phrase nor by their title. */
  readonly require_text_match: boolean
  /** The largest number of matches. */
  readonly limit?: number | undefined
}

export interface Match {
  readonly ability: IndexedAbility
  readonly score: number
}

const MIN_STALE_TEXTS = 1000

interface Entry {
  readonly ability: IndexedAbility
  readonly texts: AbilityTexts
  readonly scoreClass: number
  /** The number of its title in the title index. */
  readonly title: number
  /** The numbers of its trigger phrases in the trigger index. */
  readonly triggers: readonly number[]
}

/**
 * Returns the same matches as scoring every ability, without scoring every ability. Abilities that match the query by
 * text or project are found through indexes. The score of the others depends only on their score class, so only the
 * first ones of each class are considered.
 */
export class AbilityIndex {
  readonly #slots = new Map<string, number>()
  readonly #entries: (Entry | undefined)[] = []
  readonly #triggers: TriggerIndex
  readonly #titles: TitleIndex
  readonly #negatives = new SubstringIndex()
  #slotIndex = new SlotIndex([])
  /** Slots that changed since the slot index was updated. */
  readonly #changedSlots = new Set<number>()
  #texts = 0
  /** Texts of changed and removed abilities. They stay in the word lists until the index is rebuilt. */
  #staleTexts = 0

  constructor() {
    const vocabulary = new Vocabulary()
    this.#triggers = new TriggerIndex(vocabulary)
    this.#titles = new TitleIndex(vocabulary)
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

  /** Adds or replaces an ability. */
  set(ability: IndexedAbility): void {
    const slot = this.#slots.get(ability.ability_id) ?? this.#newSlot(ability.ability_id)
    const before = this.#entries[slot]
    const texts = readAbilityTexts(ability)
    const isSame = before !== undefined && hasSameTexts(before.texts, texts)
    if (before !== undefined && !isSame) this.#removeTexts(slot, before)
    const numbers = isSame ? before : this.#addTexts(slot, texts)
    this.#entries[slot] = { ...numbers, texts, ability, scoreClass: findScoreClass(ability) }
    this.#changedSlots.add(slot)
  }

  remove(abilityId: string): void {
    const slot = this.#slots.get(abilityId)
    const entry = slot === undefined ? undefined : this.#entries[slot]
    if (slot === undefined || entry === undefined) return
    this.#removeTexts(slot, entry)
    this.#slots.delete(abilityId)
    this.#entries[slot] = undefined
    this.#changedSlots.add(slot)
  }

  /** The best matches with at least the minimum score, ordered by score, then by id. */
  find(query: Query, options: LookupOptions): Match[] {
    const slotIndex = this.refreshSlots()
    const best = new BestMatches(options.limit ?? MAX_MATCHES, { minScore: MIN_SCORE, ranks: slotIndex.ranks })
    const match = this.#match(query, options, slotIndex)
    const { scoreClasses } = slotIndex
    addMatches(best, match, { scoreClasses, byText: options.require_text_match })
    if (match.baseKind > 0 || !options.require_text_match) {
      addOthers(best, match, slotIndex.listVisible(options.caller, options.lanes))
    }
    return best.matches.map(({ slot, score }) => ({ ability: this.#entry(slot).ability, score }))
  }

  /** Applies pending changes to the slot index. `find` calls it first. */
  refreshSlots(): SlotIndex {
    const isManyChanges = this.#changedSlots.size > MAX_SINGLE_UPDATES
    if (isManyChanges || this.#entries.length > this.#slotIndex.capacity) {
      this.#slotIndex = new SlotIndex(this.#entries)
    } else {
      for (const slot of this.#changedSlots) {
        const entry = this.#entries[slot]
        if (entry === undefined) this.#slotIndex.remove(slot)
        else this.#slotIndex.set(slot, entry)
      }
    }
    this.#changedSlots.clear()
    return this.#slotIndex
  }

  #match(query: Query, options: LookupOptions, slotIndex: SlotIndex): QueryMatch {
    const { capacity } = slotIndex
    const { project_id } = options
    // An empty word occurs in every title, and two words that occur in a title are a match.
    const inAllTitles = query.words.filter((word) => word === '').length >= 2
    return {
      ...this.#triggers.findMatches(query, capacity),
      titles: this.#titles.findMatches(query, capacity),
      rejected: toBits(capacity, this.#negatives.findWithin(query.text)),
      project: toBits(capacity, project_id === undefined ? [] : slotIndex.findInProject(project_id)),
      visible: slotIndex.findVisible(options.caller, options.lanes),
      baseKind: inAllTitles ? IN_TITLE : 0,
    }
  }

  #entry(slot: number): Entry {
    const entry = this.#entries[slot]
    if (entry === undefined) throw new Error(`Slot ${slot} is empty.`)
    return entry
  }

  #newSlot(abilityId: string): number {
    const slot = this.#entries.push(undefined) - 1
    this.#slots.set(abilityId, slot)
    return slot
  }

  #addTexts(slot: number, { triggers, negatives, title }: AbilityTexts) {
    this.#texts += 1 + triggers.length + negatives.length
    for (const negative of negatives) this.#negatives.add(negative, slot)
    return {
      title: this.#titles.add(title, slot),
      triggers: triggers.map(({ text }, position) => this.#triggers.add(text, slot, position)),
    }
  }

  #removeTexts(slot: number, { texts, title, triggers }: Entry): void {
    const count = 1 + triggers.length + texts.negatives.length
    this.#texts -= count
    this.#staleTexts += count
    for (const negative of texts.negatives) this.#negatives.remove(negative, slot)
    this.#titles.remove(title)
    for (const number of triggers) this.#triggers.remove(number)
  }
}

function addMatches(
  best: BestMatches,
  match: QueryMatch,
  { scoreClasses, byText }: { scoreClasses: Uint8Array; byText: boolean },
): void {
  for (const { matchKind, maxScore, slots } of groupByKind(match)) {
    if (maxScore < best.minScore || (byText && matchKind < IN_TITLE)) continue
    forEachBit(slots(), (slot) => {
      const kind = hasBit(match.project, slot) ? matchKind | IN_PROJECT : matchKind
      const score = getScore(scoreClasses[slot] ?? 0, kind)
      if (score >= best.minScore) best.add(slot, score)
    })
  }
}

/**
 * Adds abilities that match neither by text nor by project. All of one list have the same score and are in the order of
 * their ids, so the first that is not among the best ends its list.
 */
function addOthers(best: BestMatches, match: QueryMatch, lists: readonly SlotList[]): void {
  const { full, partial, titles, rejected, project, baseKind } = match
  const handled = [full, partial, titles, rejected, project]
  for (const { scoreClass, slots } of lists) {
    const score = getScore(scoreClass, baseKind)
    for (const slot of slots) {
      if (!handled.some((bits) => hasBit(bits, slot)) && !best.add(slot, score)) break
    }
  }
}

function findScoreClass(ability: IndexedAbility): number {
  if (ability.install_lane === 'quarantined') throw new Error('A quarantined ability has no score class.')
  const global = findScope(ability, undefined) === 'global'
  return toScoreClass({ ...ability, install_lane: ability.install_lane, global })
}

function hasSameTexts(one: AbilityTexts, other: AbilityTexts): boolean {
  const triggers = ({ triggers: all }: AbilityTexts) => all.map(({ text }) => text)
  return (
    one.title === other.title &&
    isSameList(one.negatives, other.negatives) &&
    isSameList(triggers(one), triggers(other))
  )
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at])
