import { ControlSurface } from '@apprentice/contracts/learn/observation.ts'

/** What surfaces were called before, and what people call them. */
const otherNames: Readonly<Record<string, ControlSurface>> = {
  openclaw_tool: 'native_openclaw_tool',
  native_tool: 'native_openclaw_tool',
  native_openclaw_nodes: 'native_openclaw_tool',
  native_openclaw_exec: 'native_openclaw_tool',
  browser: 'native_openclaw_browser',
  structured_connector: 'mcp_connector',
  provider_native: 'mcp_connector',
  mcp: 'mcp_server',
  api: 'app_api',
  script: 'wrapper_script',
  shortcut: 'keyboard_shortcut',
  midi: 'midi_binding',
  ui: 'raw_ui',
}

/** The surface somebody means by a word; undefined when there is none. */
export function surfaceMeant(word: string): ControlSurface | undefined {
  const plain = word.toLowerCase().replaceAll('-', '_')
  return Object.hasOwn(otherNames, plain) ? otherNames[plain] : ControlSurface.safeParse(plain).data
}

/** Reached through a desktop alone, for which there is no adapter. */
const ofDesktops: ReadonlySet<ControlSurface> = new Set([
  'applescript',
  'keyboard_shortcut',
  'midi_binding',
])

export const needsAdapter = (surfaces: readonly ControlSurface[]): boolean =>
  surfaces.every((surface) => ofDesktops.has(surface))
