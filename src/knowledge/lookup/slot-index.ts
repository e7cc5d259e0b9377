import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { type Bits, clearBit, addAll, createBits, setBit } from './bits.ts'
import { getLane, SCORE_CLASS_COUNT } from './score-table.ts'
import type { LookupAbility } from './scorer.ts'

/** How many results of `findVisible` are cached. */
const MAX_CACHED = 256

/** The fields of an ability that the slot index depends on. */
export interface SlotEntry {
  readonly ability: Pick<LookupAbility, 'ability_id' | 'owner_user_id' | 'visibility' | 'project_scopes'>
  readonly scoreClass: number
}

/** The slots of abilities of one score class, ordered by ability id. */
export interface SlotList {
  readonly scoreClass: number
  readonly slots: number[]
}

/** The owner under which private-lane abilities with workspace visibility are listed. No user has an empty id. */
const EVERYBODY = ''

/** Slots by score class, owner and project, ordered by ability id. */
export class SlotIndex {
  /** All slot numbers are less than this. */
  readonly capacity: number
  readonly ranks: Int32Array
  readonly scoreClasses: Uint8Array
  readonly #entries: (SlotEntry | undefined)[]
  #order: number[]
  readonly #shared = Array.from({ length: SCORE_CLASS_COUNT }, (_, scoreClass) => createSlotList(scoreClass))
  /** The slots of each lane except the private one. */
  readonly #lanes = new Map<OpenLane, Bits>()
  readonly #private = new Map<string, SlotList[]>()
  readonly #projects = new Map<string, number[]>()
  /** Results of `findVisible`. Cleared on every change. */
  readonly #visible = new Map<string, Bits>()

  /** Reserves capacity for additional abilities. */
  constructor(all: readonly (SlotEntry | undefined)[]) {
    this.capacity = Math.ceil(all.length * 1.1) + 64
    this.ranks = new Int32Array(this.capacity)
    this.scoreClasses = new Uint8Array(this.capacity)
    this.#entries = [...all]
    const ids = all.map((entry) => entry?.ability.ability_id ?? '')
    this.#order = [...all.keys()].filter((slot) => all[slot] !== undefined)
    this.#order.sort((a, b) => ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1))
    this.#updateRanks(0)
    for (const slot of this.#order) {
      const entry = all[slot]
      if (entry !== undefined) this.#addToLists(slot, entry)
    }
  }

  /** Adds or replaces the entry of a slot. */
  set(slot: number, entry: SlotEntry): void {
    const before = this.#entries[slot]
    if (before === undefined) this.#insert(slot, entry.ability.ability_id)
    else this.#removeFromLists(slot, before)
    this.#entries[slot] = entry
    this.#addToLists(slot, entry)
  }

  remove(slot: number): void {
    const before = this.#entries[slot]
    if (before === undefined) return
    this.#removeFromLists(slot, before)
    this.#entries[slot] = undefined
    const at = this.ranks[slot] ?? 0
    this.#order.splice(at, 1)
    this.#updateRanks(at)
  }

  /** The slots in these lanes that a caller may see. Private abilities are visible to their owner only. */
  listVisible(caller: string, lanes: ReadonlySet<OpenLane>): SlotList[] {
    return [...this.#shared, ...this.#listPrivate(caller)].filter(({ scoreClass }) => lanes.has(getLane(scoreClass)))
  }

  /** The slots of `listVisible` as one set. The result is cached and must not be changed. */
  findVisible(caller: string, lanes: ReadonlySet<OpenLane>): Bits {
    const key = [caller, ...lanes].join('\n')
    const cached = this.#visible.get(key)
    if (cached !== undefined) return cached
    if (this.#visible.size >= MAX_CACHED) this.#visible.clear()
    const visible = this.#collectVisible(caller, lanes)
    this.#visible.set(key, visible)
    return visible
  }

  #collectVisible(caller: string, lanes: ReadonlySet<OpenLane>): Bits {
    const visible = createBits(this.capacity)
    for (const [lane, bits] of this.#lanes) if (lanes.has(lane)) addAll(visible, { bits })
    if (!lanes.has('experimental_private')) return visible
    for (const { slots } of this.#listPrivate(caller)) addAll(visible, { list: slots })
    return visible
  }

  findInProject(project: string): readonly number[] {
    return this.#projects.get(project) ?? []
  }

  #insert(slot: number, id: string): void {
    const idAt = (at: number) => this.#entries[this.#order[at] ?? -1]?.ability.ability_id ?? ''
    const at = findFirst(this.#order.length, (n) => idAt(n) > id)
    this.#order.splice(at, 0, slot)
    this.#updateRanks(at)
  }

  #updateRanks(from: number): void {
    for (let at = from; at < this.#order.length; at += 1) this.ranks[this.#order[at] ?? 0] = at
  }

  #addToLists(slot: number, entry: SlotEntry): void {
    this.#visible.clear()
    const lane = getLane(entry.scoreClass)
    this.scoreClasses[slot] = entry.scoreClass
    if (lane !== 'experimental_private') setBit(this.#getLaneBits(lane), slot)
    for (const list of this.#findLists(entry)) list.splice(this.#findPosition(list, slot), 0, slot)
  }

  #removeFromLists(slot: number, entry: SlotEntry): void {
    this.#visible.clear()
    const lane = getLane(entry.scoreClass)
    if (lane !== 'experimental_private') clearBit(this.#getLaneBits(lane), slot)
    for (const list of this.#findLists(entry)) list.splice(this.#findPosition(list, slot), 1)
  }

  /** The position of a slot in a list, or the position to insert it at. */
  #findPosition(list: readonly number[], slot: number): number {
    const rank = this.ranks[slot] ?? 0
    const rankAt = (at: number) => this.ranks[list[at] ?? 0] ?? 0
    if (list.length === 0 || rankAt(list.length - 1) < rank) return list.length
    return findFirst(list.length, (at) => rankAt(at) >= rank)
  }

  /** Every list that contains the ability. */
  #findLists(entry: SlotEntry): number[][] {
    const { project_scopes } = entry.ability
    const isPrivate = getLane(entry.scoreClass) === 'experimental_private'
    const list = isPrivate ? this.#getPrivateList(entry) : this.#shared[entry.scoreClass]
    const lists = list === undefined ? [] : [list.slots]
    if (project_scopes.length === 0) return lists
    return [...lists, ...Array.from(new Set(project_scopes), (project) => this.#getProjectList(project))]
  }

  #listPrivate(caller: string): SlotList[] {
    return [EVERYBODY, caller].flatMap((owner) => this.#private.get(owner) ?? [])
  }

  #getPrivateList({ ability, scoreClass }: SlotEntry): SlotList {
    const owner = ability.visibility === 'workspace' ? EVERYBODY : ability.owner_user_id
    let own = this.#private.get(owner)
    if (own === undefined) this.#private.set(owner, (own = []))
    let list = own.find((known) => known.scoreClass === scoreClass)
    if (list === undefined) own.push((list = createSlotList(scoreClass)))
    return list
  }

  #getLaneBits(lane: OpenLane): Bits {
    let bits = this.#lanes.get(lane)
    if (bits === undefined) this.#lanes.set(lane, (bits = createBits(this.capacity)))
    return bits
  }

  #getProjectList(project: string): number[] {
    let slots = this.#projects.get(project)
    if (slots === undefined) this.#projects.set(project, (slots = []))
    return slots
  }
}

const createSlotList = (scoreClass: number): SlotList => ({ scoreClass: scoreClass, slots: [] })

/** Binary search: the first position below `count` at which `holds` is true, or `count`. */
function findFirst(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
