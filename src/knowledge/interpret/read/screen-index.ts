import type { UiNode } from '../../../screen/hierarchy.ts'
import { findNodes, type Place, type ExampleValues } from './matching.ts'
import type { Intent } from './intent.ts'
import { isDataRow, listRows } from './rows.ts'
import { isSameKind, type Screen } from './screen.ts'
import { readText, listTextNodes } from './node-text.ts'

/** The distinct screens of all traces. */
export class ScreenIndex {
  readonly screens: readonly Screen[]
  readonly #sameKind = new Map<Screen, readonly Screen[]>()

  constructor(intents: readonly Intent[]) {
    const byState = new Map<string, Screen>()
    for (const { before, first_after, after } of intents) {
      for (const screen of [before, first_after, after]) {
        if (screen === undefined || screen.is_loading) continue
        const key = `${screen.package} ${screen.state}`
        if (!byState.has(key)) byState.set(key, screen)
      }
    }
    this.screens = [...byState.values()]
  }

  /** The texts of list entries. They are data, so no recipe may contain them. */
  get entry_texts(): ReadonlySet<string> {
    const texts = new Set<string>()
    for (const { nodes } of this.screens) {
      for (const row of listRows(nodes)) {
        if (isDataRow(row)) for (const cell of listTextNodes(row.node)) texts.add(readText(cell))
      }
    }
    return texts
  }

  /** Whether a place matches only this node here, and at most one node on each screen of the same kind. */
  isUnique(place: Place, node: UiNode, screen: Screen, examples: ExampleValues): boolean {
    const here = findNodes(screen, place, examples)
    if (here.length !== 1 || here[0] !== node) return false
    return this.#listSameKind(screen).every((other) => findNodes(other, place, examples).length <= 1)
  }

  /** Whether a place matches nothing on screens of other kinds. */
  isFoundOnlyOn(screen: Screen, place: Place, examples: ExampleValues): boolean {
    const sameKind = this.#listSameKind(screen)
    return this.screens.every((other) => sameKind.includes(other) || findNodes(other, place, examples).length === 0)
  }

  /** On how many screens of the same kind a place matches exactly one node. */
  countUnique(place: Place, screen: Screen, examples: ExampleValues): number {
    return this.#listSameKind(screen).filter((other) => findNodes(other, place, examples).length === 1).length
  }

  #listSameKind(screen: Screen): readonly Screen[] {
    const known = this.#sameKind.get(screen)
    if (known !== undefined) return known
    const found = this.screens.filter((other) => isSameKind(other, screen))
    this.#sameKind.set(screen, found)
    return found
  }
}
