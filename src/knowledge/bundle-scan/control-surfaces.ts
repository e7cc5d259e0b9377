import { ControlSurface } from '@apprentice/contracts/learn/observation.ts'

/** Older and informal names of control surfaces. */
const SURFACE_ALIASES: Readonly<Record<string, ControlSurface>> = {
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

export function parseSurface(name: string): ControlSurface | undefined {
  const plain = name.toLowerCase().replaceAll('-', '_')
  return Object.hasOwn(SURFACE_ALIASES, plain) ? SURFACE_ALIASES[plain] : ControlSurface.safeParse(plain).data
}

/** Surfaces that exist only on a desktop, for which there is no adapter. */
const DESKTOP_SURFACES: ReadonlySet<ControlSurface> = new Set(['applescript', 'keyboard_shortcut', 'midi_binding'])

export const needsAdapter = (surfaces: readonly ControlSurface[]): boolean =>
  surfaces.every((surface) => DESKTOP_SURFACES.has(surface))
