/** One kernel input event, with symbolic type and code. */
export interface KernelEvent {
  readonly timeUs: number
  readonly device: string
  readonly type: 'EV_ABS' | 'EV_KEY' | 'EV_SYN'
  readonly code: string
  readonly value: number
}

export interface InputDevice {
  readonly path: string
  readonly name: string
  readonly keys: readonly string[]
  readonly axes: readonly { readonly code: string; readonly max: number }[]
  readonly isTouchscreen: boolean
}

/** Input events of the hardware. Shell commands such as `input tap` produce none. */
export interface TouchPanel {
  readonly devices: readonly InputDevice[]
  emit(event: KernelEvent): void
  follow(listener: (event: KernelEvent) => void): () => void
  readonly axisMax: { readonly x: number; readonly y: number }
  nextTrackingId(): number
}

export const TOUCHSCREEN = '/dev/input/event2'
export const BUTTONS = '/dev/input/event0'
export const KEYBOARD = '/dev/input/event3'

export function createTouchPanel(axisMax: { readonly x: number; readonly y: number }): TouchPanel {
  const listeners = new Set<(event: KernelEvent) => void>()
  let trackingId = 0
  return {
    axisMax,
    devices: listInputDevices(axisMax),
    emit: (event) => {
      for (const listener of listeners) listener(event)
    },
    follow: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    nextTrackingId: () => {
      trackingId = (trackingId + 1) & 0xffff
      return trackingId
    },
  }
}

function listInputDevices(axisMax: { readonly x: number; readonly y: number }): readonly InputDevice[] {
  return [
    {
      path: KEYBOARD,
      name: 'apprentice_keyboard',
      keys: ['KEY_ESC', 'KEY_ENTER', 'KEY_BACKSPACE', 'KEY_TAB', 'KEY_SPACE', 'KEY_LEFTSHIFT'],
      axes: [],
      isTouchscreen: false,
    },
    {
      path: TOUCHSCREEN,
      name: 'apprentice_touchscreen',
      keys: ['BTN_TOUCH'],
      axes: [
        { code: 'ABS_MT_SLOT', max: 9 },
        { code: 'ABS_MT_TOUCH_MAJOR', max: 255 },
        { code: 'ABS_MT_POSITION_X', max: axisMax.x },
        { code: 'ABS_MT_POSITION_Y', max: axisMax.y },
        { code: 'ABS_MT_TRACKING_ID', max: 65_535 },
        { code: 'ABS_MT_PRESSURE', max: 255 },
      ],
      isTouchscreen: true,
    },
    {
      path: BUTTONS,
      name: 'gpio-keys',
      keys: ['KEY_BACK', 'KEY_HOMEPAGE', 'KEY_APPSELECT', 'KEY_POWER', 'KEY_VOLUMEUP', 'KEY_VOLUMEDOWN'],
      axes: [],
      isTouchscreen: false,
    },
  ]
}
