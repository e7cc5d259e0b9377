import type { Point } from '../../screen/bounds.ts'
import type { Hierarchy } from '../../screen/hierarchy.ts'
import { isBare } from '../../screen/hit-test.ts'

/** How the system's own navigation is worked on this phone. */
export interface Navigation {
  /** Swipes from the edges instead of three buttons. */
  readonly gestures: boolean
  /** Some makers put the back button on the right. */
  readonly backButton: 'left' | 'right'
}

export type NavigationKey = 'back' | 'home' | 'recents'

interface Size {
  readonly width: number
  readonly height: number
}

/** The button of the bar at the bottom; the bar is in no tree, so what takes touches in one is no button. */
export function navigationButton(
  point: Point,
  { size, tree, navigation }: { size: Size; tree: Hierarchy | undefined; navigation: Navigation },
): NavigationKey | undefined {
  if (navigation.gestures || tree === undefined) return undefined
  if (point.y < size.height * (1 - BAR_SHARE) || !isBare(tree, point)) return undefined
  const third = Math.floor((3 * point.x) / size.width)
  const order = navigation.backButton === 'left' ? LEFT_TO_RIGHT : LEFT_TO_RIGHT.toReversed()
  return order[third]
}

/** Inwards from a side is back, up from the bottom is home. */
export function navigationSwipe(
  { from, to }: { from: Point; to: Point },
  size: Size,
  navigation: Navigation,
): NavigationKey | undefined {
  if (!navigation.gestures) return undefined
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  if (from.y >= size.height * (1 - EDGE_SHARE) && -dy > Math.abs(dx)) return 'home'
  const sideways = Math.abs(dx) > Math.abs(dy)
  const fromLeft = from.x <= size.width * EDGE_SHARE && dx > 0
  const fromRight = from.x >= size.width * (1 - EDGE_SHARE) && dx < 0
  return sideways && (fromLeft || fromRight) ? 'back' : undefined
}

const LEFT_TO_RIGHT = ['back', 'home', 'recents'] as const
const BAR_SHARE = 0.06
const EDGE_SHARE = 0.04
