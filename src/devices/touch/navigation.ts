import type { Point } from '../../screen/tree/bounds.ts'
import type { Hierarchy } from '../../screen/tree/hierarchy.ts'
import { isEmptyAt } from '../../screen/hit-test.ts'

/** How the system navigation of a phone works. */
export interface Navigation {
  /** Edge swipes instead of three buttons. */
  readonly gestures: boolean
  /** Some vendors place the back button on the right. */
  readonly backButton: 'left' | 'right'
}

export type NavigationKey = 'back' | 'home' | 'recents'

interface Size {
  readonly width: number
  readonly height: number
}

/** The button of the navigation bar at a point. The bar is in no tree, so a node that takes touches is not a button. */
export function findNavigationButton(
  point: Point,
  { size, tree, navigation }: { size: Size; tree: Hierarchy | undefined; navigation: Navigation },
): NavigationKey | undefined {
  if (navigation.gestures || tree === undefined) return undefined
  if (point.y < size.height * (1 - BAR_HEIGHT_SHARE) || !isEmptyAt(tree, point)) return undefined
  const third = Math.floor((3 * point.x) / size.width)
  const order = navigation.backButton === 'left' ? BUTTON_ORDER : BUTTON_ORDER.toReversed()
  return order[third]
}

/** A swipe inwards from a side is back, a swipe up from the bottom is home. */
export function findNavigationSwipe(
  { from, to }: { from: Point; to: Point },
  size: Size,
  navigation: Navigation,
): NavigationKey | undefined {
  if (!navigation.gestures) return undefined
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  if (from.y >= size.height * (1 - EDGE_SHARE) && -dy > Math.abs(dx)) return 'home'
  const isHorizontal = Math.abs(dx) > Math.abs(dy)
  const fromLeft = from.x <= size.width * EDGE_SHARE && dx > 0
  const fromRight = from.x >= size.width * (1 - EDGE_SHARE) && dx < 0
  return isHorizontal && (fromLeft || fromRight) ? 'back' : undefined
}

const BUTTON_ORDER = ['back', 'home', 'recents'] as const
const BAR_HEIGHT_SHARE = 0.06
const EDGE_SHARE = 0.04
