import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ElementBounds } from '@apprentice/contracts/learn/elements.ts'
import { type KeptElement, readKeptScreen } from './kept-screen.ts'

interface PictureProps {
  readonly evidenceId: string
  readonly label: string
  /** The size of the screen; by default that of its content. */
  readonly size?: { readonly width: number; readonly height: number } | undefined
  /** The element to frame. */
  readonly frame?: ElementBounds | undefined
  /** In place of a frame: where the screen was touched. The element there is framed. */
  readonly touched?: { readonly x: number; readonly y: number } | undefined
  /** Shows only the part around the framed element, so that a small picture can be read. */
  readonly isCropped?: boolean
}

/** A drawing of a stored screen with one element framed. A screen that is no longer stored leaves an empty place. */
export function ScreenPicture({ evidenceId, label, size, frame: given, touched, isCropped = false }: PictureProps) {
  const elements = useSignal<readonly KeptElement[]>([])
  useEffect(() => {
    let isCurrent = true
    const load = async (): Promise<void> => {
      // A screen that is no longer stored has nothing to draw.
      const read = await readKeptScreen(evidenceId).catch(() => [])
      if (isCurrent) elements.value = read
    }
    void load()
    return () => {
      isCurrent = false
    }
  }, [evidenceId])
  const { width, height } = size ?? measure(elements.value)
  const frame = given ?? (touched && findTouched(elements.value, touched))
  const shown = isCropped ? Math.min(height, width) : height
  const top = findTop(frame, { height, shown })
  return (
    <svg class="screen-picture" viewBox={`0 ${top} ${width} ${shown}`} role="img" aria-label={label}>
      <rect class="ground" width={width} height={height} />
      {elements.value.map((element, at) => (
        <Drawn key={at} element={element} screen={width} />
      ))}
      {frame !== undefined && (
        <rect
          class="used"
          x={frame.left}
          y={frame.top}
          width={frame.right - frame.left}
          height={frame.bottom - frame.top}
          rx={width / 60}
          stroke-width={width / 60}
        />
      )}
    </svg>
  )
}

/** The smallest element at the point. */
function findTouched(elements: readonly KeptElement[], { x, y }: { x: number; y: number }): ElementBounds | undefined {
  const [found] = elements
    .filter(({ left, top, width, height }) => left <= x && x < left + width && top <= y && y < top + height)
    .toSorted((a, b) => a.width * a.height - b.width * b.height)
  if (found === undefined) return undefined
  const { left, top, width, height } = found
  return { left, top, right: left + width, bottom: top + height }
}

/** Where a cropped picture begins: the framed element is in its middle. */
function findTop(frame: ElementBounds | undefined, { height, shown }: { height: number; shown: number }): number {
  const middle = frame === undefined ? shown / 2 : (frame.top + frame.bottom) / 2
  return Math.max(0, Math.min(height - shown, Math.round(middle - shown / 2)))
}

function measure(elements: readonly KeptElement[]): { width: number; height: number } {
  const width = Math.max(1, ...elements.map((one) => one.left + one.width))
  return { width, height: Math.max(width * 2, ...elements.map((one) => one.top + one.height)) }
}

function Drawn({ element, screen }: { readonly element: KeptElement; readonly screen: number }) {
  const { text, kind, left, top, width, height } = element
  const font = Math.min(height * 0.62, screen / 19)
  const isWide = width > screen * 0.95 && height > screen
  // A letter is about half as wide as high.
  const letters = Math.max(1, Math.floor(width / (font * 0.52)))
  return (
    <>
      {kind !== 'text' && !isWide && (
        <rect class={kind} x={left} y={top} width={width} height={height} rx={Math.min(height / 3, screen / 40)} />
      )}
      {text !== '' && (
        <text x={kind === 'text' ? left : left + font / 2} y={top + height / 2 + font * 0.35} font-size={font}>
          {text.length > letters ? `${text.slice(0, Math.max(1, letters - 1))}…` : text}
        </text>
      )}
    </>
  )
}
