import { createRequire } from 'node:module'

export type CanvasLibrary = typeof import('@napi-rs/canvas')

/** The library that draws, or why it cannot be loaded. */
export type LoadedLibrary = { readonly library: CanvasLibrary } | { readonly problem: string }

let loaded: LoadedLibrary | undefined

/** Loads the library at the first picture: a phone that is never photographed does without it. */
export function loadCanvasLibrary(): LoadedLibrary {
  loaded ??= tryLoading(createRequire(import.meta.url))
  return loaded
}

const NO_SYSTEM_FONTS = 'DISABLE_SYSTEM_FONTS_LOAD'

/** The library contains native code. There is a package of it for each platform, and none for some. */
export function tryLoading(load: (name: string) => unknown): LoadedLibrary {
  // The library reads this variable while it is loaded. Reading all fonts of the machine takes most of the loading
  // time, so they are read when a text needs them.
  const { env } = process
  const before = env[NO_SYSTEM_FONTS]
  env[NO_SYSTEM_FONTS] = '1'
  try {
    return { library: load('@napi-rs/canvas') as CanvasLibrary }
  } catch (error) {
    return { problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }
  } finally {
    if (before === undefined) delete env[NO_SYSTEM_FONTS]
    else env[NO_SYSTEM_FONTS] = before
  }
}
