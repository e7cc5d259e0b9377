import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ScreenElement, ScreenFrame } from '@apprentice/contracts/devices/screen.ts'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'
import { describeKind, findCentre, findElementAt, nameTargets, placeElement, readName } from './elements.ts'
import { type Point, readGestures } from './gestures.ts'
import type { LiveScreen } from './live-screen.ts'
import type { PhoneInput } from './phone-input.ts'

interface ScreenProps {
  readonly name: string
  readonly live: LiveScreen
  readonly send: (input: PhoneInput) => void
  /** While set, a click chooses an element and is not sent to the phone. */
  readonly onPick?: ((element: ScreenElement) => void) | undefined
  /** The index of an element to frame. */
  readonly framed?: number | undefined
}

/** The picture of a phone. Gestures on it are sent as input. */
export function Screen({ name, live, send, onPick, framed }: ScreenProps) {
  const surface = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const pointed = useSignal<ScreenElement | undefined>(undefined)
  const touch = useSignal<(Point & { readonly id: number }) | undefined>(undefined)
  const picking = useRef(onPick)
  picking.current = onPick
  const frame = live.frame.value
  const size = { width: frame?.width ?? 1, height: frame?.height ?? 1 }
  const elements = live.elements.value?.elements ?? []

  useEffect(() => drawFrames(live, surface, canvas), [live])
  useEffect(() => {
    if (surface.current === null) return
    const toPixel = ({ x, y }: Point): Point => {
      const { width = 1, height = 1 } = live.frame.value ?? {}
      return { x: Math.floor(x * width), y: Math.floor(y * height) }
    }
    const find = (at: Point) => findElementAt(live.elements.value?.elements ?? [], toPixel(at))
    const markTouch = (at: Point) => (touch.value = { ...at, id: Date.now() })
    return readGestures(surface.current, {
      tap: (at) => {
        const picked = picking.current === undefined ? undefined : find(at)
        if (picking.current !== undefined) {
          if (picked !== undefined) picking.current(picked)
          return
        }
        markTouch(at)
        send({ kind: 'tap', ...toPixel(at) })
      },
      longPress: (at) => {
        markTouch(at)
        send({ kind: 'long_press', ...toPixel(at) })
      },
      swipe: (from, to) => send({ kind: 'swipe', from: toPixel(from), to: toPixel(to) }),
      hover: (at) => (pointed.value = at && find(at)),
    })
  }, [live])
  useEffect(() => copyPointed(surface.current, () => pointed.value), [live])
  const shown = pointed.value ?? elements.find(({ index }) => index === framed)

  return (
    <div ref={surface} class={onPick === undefined ? 'screen' : 'screen picking'}>
      <canvas ref={canvas} role="img" aria-label={t.phone.screenName(name)} />
      <Targets
        elements={elements}
        size={size}
        onTarget={(element, isLong) => choose(element, isLong, { send, onPick })}
      />
      {shown !== undefined && <Pointed element={shown} size={size} />}
      {touch.value !== undefined && <TouchMark key={touch.value.id} at={touch.value} />}
      <ScreenNote live={live} />
    </div>
  )
}

function choose(element: ScreenElement, isLong: boolean, { send, onPick }: Pick<ScreenProps, 'send' | 'onPick'>): void {
  if (onPick === undefined) send({ kind: isLong ? 'long_press' : 'tap', ...findCentre(element) })
  else onPick(element)
}

/** Ctrl+C copies the text of the element under the pointer, or of the focused one. */
function copyPointed(surface: HTMLElement | null, read: () => ScreenElement | undefined): () => void {
  const onCopy = (event: ClipboardEvent): void => {
    const focused = document.activeElement
    if (surface?.parentElement?.contains(focused) !== true) return
    const text = read()?.label ?? (focused instanceof HTMLElement ? focused.dataset['text'] : undefined)
    if (!text) return
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  document.addEventListener('copy', onCopy)
  return () => document.removeEventListener('copy', onCopy)
}

/** A button for each element that can be tapped, for use with the keyboard. */
function Targets({ elements, size, onTarget }: TargetsProps) {
  return (
    <div class="targets">
      {[...nameTargets(elements)].map(([element, name]) => (
        <button
          key={`${element.resource_id ?? ''}|${element.label}|${element.bounds.join()}`}
          type="button"
          aria-label={t.phone.tap(name)}
          data-text={element.label}
          style={placeElement(element, size)}
          onClick={(event) => onTarget(element, event.shiftKey)}
        />
      ))}
    </div>
  )
}

interface TargetsProps {
  readonly elements: readonly ScreenElement[]
  readonly size: { readonly width: number; readonly height: number }
  readonly onTarget: (element: ScreenElement, isLong: boolean) => void
}

const Pointed = ({ element, size }: { readonly element: ScreenElement; readonly size: TargetsProps['size'] }) => (
  <div class={element.bounds[1] < size.height / 12 ? 'pointed low' : 'pointed'} style={placeElement(element, size)}>
    <span>
      {readName(element)} · {describeKind(element)}
    </span>
  </div>
)

const TouchMark = ({ at }: { readonly at: Point }) => (
  <span class="touch" style={{ left: `${at.x * 100}%`, top: `${at.y * 100}%` }} />
)

function ScreenNote({ live }: { readonly live: LiveScreen }) {
  const state = live.state.value
  if (live.frame.value === undefined && state === undefined) return <p class="screen-note">{t.phone.waiting}</p>
  if (state === undefined || state.state === 'live') return null
  return (
    <p class="screen-note">
      {state.message === undefined ? (t.values[state.state] ?? state.state) : say(state.message)}
    </p>
  )
}

/** Draws the newest frame whenever one was decoded. Of the frames that arrive meanwhile only the newest is drawn. */
function drawFrames(
  live: LiveScreen,
  surface: { readonly current: HTMLDivElement | null },
  canvas: { readonly current: HTMLCanvasElement | null },
): () => void {
  let busy = false
  let isStopped = false
  let drawn: ScreenFrame | undefined
  const drawNewest = async (): Promise<void> => {
    if (busy) return
    busy = true
    for (let next = live.frame.value; next !== drawn && next !== undefined; next = live.frame.value) {
      const base = drawn
      drawn = next
      // A picture that no longer exists is followed by a newer one, which then must be drawn as a whole.
      const isDrawn = await draw(canvas.current, next, base?.frame_id).catch(() => false)
      if (!isDrawn) drawn = undefined
      else if (surface.current !== null) surface.current.dataset['frame'] = next.frame_id
      if (isStopped || live.frame.value === next) break
    }
    busy = false
  }
  const unsubscribe = live.frame.subscribe((frame) => {
    if (frame === undefined) return
    surface.current?.style.setProperty('--ratio', String(frame.width / frame.height))
    void drawNewest()
  })
  return () => {
    isStopped = true
    unsubscribe()
  }
}

/** Draws the part that differs from the drawn frame, or else the whole picture. Returns whether it was drawn. */
async function draw(
  canvas: HTMLCanvasElement | null,
  { url, jpeg_url, change, width, height }: ScreenFrame,
  drawn: string | undefined,
): Promise<boolean> {
  if (canvas === null) return false
  const part = change?.since === drawn ? change : undefined
  const picture = part?.jpeg === undefined ? await load(part?.url ?? jpeg_url ?? url) : await decode(part.jpeg)
  // Setting the size clears the canvas, even if it is the same.
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  canvas.getContext('2d')?.drawImage(picture, part?.left ?? 0, part?.top ?? 0)
  return true
}

async function load(url: string): Promise<HTMLImageElement> {
  const picture = new Image()
  picture.src = url
  await picture.decode()
  return picture
}

const decode = (base64: string): Promise<ImageBitmap> => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }))
}
