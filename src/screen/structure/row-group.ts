import type { UiNode } from '../tree/hierarchy.ts'

/** Similar nodes side by side: a list, a grid, a strip of chips, a bar of tabs. */
export interface RowGroup {
  /** The nearest common parent. */
  readonly holder: UiNode
  /** In reading order. */
  readonly members: readonly UiNode[]
  readonly direction: 'down' | 'across' | 'grid'
  /** The nearest node that scrolls the holder, or the holder itself. */
  readonly scroller: UiNode | undefined
}

export interface Row {
  readonly node: UiNode
  readonly group: RowGroup
}

/**
 * `data`: rows of content. `navigation`: tabs, bottom bar, drawer. `choice`: exclusive options, chips, segments, radios.
 * `furniture`: buttons, menus, key pads.
 */
export type GroupClass = 'data' | 'navigation' | 'choice' | 'furniture'
