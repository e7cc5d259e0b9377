import { isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { areSimilar } from '../../../screen/structure/shape.ts'
import { findNodes, type Place, type ExampleValues } from './matching.ts'
import type { Intent } from './intent.ts'
import { isDataRow, listRows } from './rows.ts'
import { isSameKind, type Screen } from './screen.ts'
import { listCells } from '../../../screen/structure/cells.ts'

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

  /**
   * The texts of rows like the chosen ones. They are data, so no recipe may contain them. A text that several rows of a
   * list show, and the label of a control in a row, belong to the app.
   */
  listEntryTexts(chosen: readonly { readonly node: UiNode; readonly screen: Screen }[]): ReadonlySet<string> {
    const texts = new Set<string>()
    const shared = new Set<string>()
    for (const screen of this.screens) {
      const alike = chosen.filter((one) => isSameKind(one.screen, screen))
      const rows = listRows(screen).filter(
        (row) => isDataRow(row) && alike.some(({ node }) => areSimilar(node, row.node)),
      )
      const counts = new Map<string, number>()
      for (const { node } of rows) {
        for (const cell of listCells(node)) {
          if (cell.node !== node && isTrue(cell.node, 'clickable')) continue
          texts.add(cell.text)
          counts.set(cell.text, (counts.get(cell.text) ?? 0) + 1)
        }
      }
      for (const [text, count] of counts) if (count > 1) shared.add(text)
    }
    return new Set([...texts].filter((text) => !shared.has(text)))
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
