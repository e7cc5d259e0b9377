import type { Device } from '../model/device.ts'
import { layoutKeys } from '../model/keyboard.ts'
import { createView, type Rect, type View } from '../model/view.ts'
import { NAVIGATION_BAR_HEIGHT, STATUS_BAR_HEIGHT } from '../windows/frame.ts'
import type { AccessibleWindow } from './tree-xml.ts'

const SYSTEM_UI = 'com.android.systemui'
const KEYBOARD_PACKAGE = 'com.android.inputmethod.latin'

/** The window of the built-in keyboard, whose upper edge is at `top`. */
export function createKeyboardTree(device: Device, top: number): View {
  const { width, height } = device.screen
  const keys = layoutKeys(device).map(({ label, rect }, index) =>
    place(rect, {
      key: `keyboard/${index}`,
      className: 'android.inputmethodservice.Keyboard$Key',
      packageName: KEYBOARD_PACKAGE,
      index,
      description: label === '' ? 'Space' : label,
      clickable: true,
    }),
  )
  const bounds = { left: 0, top, right: width, bottom: height - NAVIGATION_BAR_HEIGHT }
  return place(bounds, {
    key: 'keyboard',
    className: 'android.widget.FrameLayout',
    packageName: KEYBOARD_PACKAGE,
    children: keys,
  })
}

/** The windows of the status bar and of the navigation bar. */
export function createSystemBars(device: Device, layer: number): readonly AccessibleWindow[] {
  const { width, height } = device.screen
  const common = { type: 'system', isActive: false, isFocused: false } as const
  const time = new Date(device.clock.now()).toISOString().slice(11, 16)
  const clock = createBarView('clock', 'android.widget.TextView', {
    bounds: { left: 0, top: 0, right: 200, bottom: STATUS_BAR_HEIGHT },
    text: time,
  })
  const status = createBar('status_bar', { left: 0, top: 0, right: width, bottom: STATUS_BAR_HEIGHT }, [clock])
  const third = Math.floor(width / 3)
  const top = height - NAVIGATION_BAR_HEIGHT
  const buttons = ['Back', 'Home', 'Overview'].map((description, index) =>
    createBarView(['back', 'home', 'recent_apps'][index] ?? '', 'android.widget.ImageView', {
      bounds: { left: index * third, top, right: (index + 1) * third, bottom: height },
      description,
    }),
  )
  const navigation = createBar('navigation_bar', { left: 0, top, right: width, bottom: height }, buttons)
  return [
    { ...common, root: status, layer: layer + 1 },
    { ...common, root: navigation, layer },
  ]
}

function createBar(name: string, bounds: Rect, children: readonly View[]): View {
  return place(bounds, {
    key: name,
    className: 'android.widget.FrameLayout',
    packageName: SYSTEM_UI,
    resourceId: `${SYSTEM_UI}:id/${name}_container`,
    children: children.map((child, index) => ({ ...child, index })),
  })
}

function createBarView(
  name: string,
  className: string,
  { bounds, ...texts }: { bounds: Rect; text?: string; description?: string },
): View {
  const clickable = texts.description !== undefined
  return place(bounds, {
    key: name,
    className,
    packageName: SYSTEM_UI,
    resourceId: `${SYSTEM_UI}:id/${name}`,
    clickable,
    ...texts,
  })
}

function place(bounds: Rect, start: Parameters<typeof createView>[0]): View {
  return createView({ ...start, bounds, visibleBounds: bounds })
}
