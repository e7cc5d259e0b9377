import type { Rect } from '../../model/view.ts'
import type { IconName } from './icons.ts'
import type { Weight } from './fonts.ts'

export type Corners = number | readonly [topLeft: number, topRight: number, bottomRight: number, bottomLeft: number]

/** One part of a picture. A list of them is a picture. */
export type Shape =
  | {
      readonly kind: 'box'
      readonly rect: Rect
      readonly clip?: Rect
      readonly corners?: Corners
      readonly fill?: string
      readonly stroke?: { readonly color: string; readonly width: number }
      /** Height above the surface in pixels, drawn as a shadow. */
      readonly elevation?: number
    }
  | { readonly kind: 'gradient'; readonly rect: Rect; readonly from: string; readonly to: string }
  | {
      readonly kind: 'circle'
      readonly x: number
      readonly y: number
      readonly radius: number
      readonly clip?: Rect
      readonly fill?: string
      readonly stroke?: { readonly color: string; readonly width: number }
      /** Part of the circle that is stroked, in turns from the top. */
      readonly arc?: readonly [from: number, to: number]
    }
  /** A light or dark spot where a view was touched, inside the corners of the view. */
  | { readonly kind: 'ripple'; readonly rect: Rect; readonly corners: Corners; readonly spot: Spot }
  | {
      readonly kind: 'line'
      readonly points: readonly number[]
      readonly width: number
      readonly color: string
      readonly clip?: Rect
    }
  | { readonly kind: 'polygon'; readonly points: readonly number[]; readonly color: string }
  | {
      readonly kind: 'icon'
      readonly name: IconName
      /** The center. */
      readonly x: number
      readonly y: number
      readonly size: number
      readonly color: string
      readonly clip?: Rect
    }
  | {
      readonly kind: 'text'
      readonly x: number
      /** The baseline. */
      readonly y: number
      readonly text: string
      readonly size: number
      readonly weight: Weight
      readonly color: string
      readonly clip: Rect
    }
  /** Darkens everything drawn so far. */
  | { readonly kind: 'dim' }

export interface Spot {
  readonly x: number
  readonly y: number
  readonly radius: number
  readonly color: string
}
