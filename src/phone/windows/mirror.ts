import type { Rect, View } from '../model/view.ts'

/** Mirrors the bounds of a placed view and its descendants. */
export function mirrorView(view: View, width: number): void {
  view.bounds = mirrorRect(view.bounds, width)
  view.visibleBounds = mirrorRect(view.visibleBounds, width)
  for (const child of view.children) mirrorView(child, width)
}

function mirrorRect({ left, top, right, bottom }: Rect, width: number): Rect {
  return { left: width - right, top, right: width - left, bottom }
}
