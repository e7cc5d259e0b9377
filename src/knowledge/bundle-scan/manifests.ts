import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import { needsAdapter, parseSurface } from './control-surfaces.ts'
import { isUnsafePath } from './entry-names.ts'
import type { Findings } from './findings.ts'

export interface ManifestFile {
  readonly path: string
  readonly text: string
}

export interface ManifestContext {
  readonly skill_name: string | undefined
  readonly files: ReadonlySet<string>
}

/** The valid manifests of a bundle, in the order of their files. */
export function readManifests(
  files: readonly ManifestFile[],
  context: ManifestContext,
  findings: Findings,
): CapabilityManifest[] {
  if (files.length === 0) findings.add('MANIFEST_MISSING')
  const seen = new Set<string>()
  return files.flatMap((file) => {
    const manifest = readManifest(file, findings)
    if (manifest === undefined) return []
    const { path } = file
    const { capability_id, origin_skill } = manifest
    if (seen.has(capability_id)) findings.add('MANIFEST_ID_DUPLICATE', { path, note: capability_id })
    seen.add(capability_id)
    if (context.skill_name !== undefined && origin_skill !== context.skill_name) {
      findings.add('MANIFEST_ORIGIN_MISMATCH', { path, note: origin_skill })
    }
    checkBinding(path, manifest, { context, findings })
    checkProbe(path, manifest, findings)
    checkSurfaces(path, manifest, findings)
    return [manifest]
  })
}

function readManifest({ path, text }: ManifestFile, findings: Findings) {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    findings.add('MANIFEST_INVALID_JSON', { path })
    return undefined
  }
  if (isRecord(value) && (value['verification'] === undefined || isEmptyList(value['verification']))) {
    findings.add('MANIFEST_NO_VERIFICATION', { path })
    return undefined
  }
  const read = CapabilityManifest.safeParse(normalizeSurfaces(value, path, findings))
  if (read.success) return read.data
  const field = read.error.issues[0]?.path.join('.') ?? ''
  findings.add('MANIFEST_SCHEMA_INVALID', { path, note: field })
  return undefined
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

function normalizeSurfaces(value: unknown, path: string, findings: Findings): unknown {
  if (!isRecord(value) || !Array.isArray(value['surface_order'])) return value
  const surface_order = value['surface_order'].map((surface: unknown) => {
    const normalized = typeof surface === 'string' ? parseSurface(surface) : undefined
    if (normalized === undefined || normalized === surface) return surface
    findings.add('MANIFEST_LEGACY_SURFACE', { path, note: String(surface) })
    return normalized
  })
  return { ...value, surface_order }
}

function checkBinding(
  path: string,
  { runtime_binding: { binding_kind, target } }: CapabilityManifest,
  { context, findings }: { context: ManifestContext; findings: Findings },
): void {
  if (binding_kind !== 'script' && binding_kind !== 'workflow_pattern') return
  if (isUnsafePath(target)) {
    findings.add('MANIFEST_BINDING_OUTSIDE_BUNDLE', { path, note: target })
    return
  }
  // The target may be a path in the bundle or the path after installation.
  const inside = target.replace(/^skills\/[^/]+\//, '')
  if (!context.files.has(inside) && !context.files.has(target)) {
    findings.add('MANIFEST_BINDING_TARGET_MISSING', { path, note: target })
  }
}

function checkProbe(path: string, { health_probe: probe }: CapabilityManifest, findings: Findings): void {
  const unsafe =
    probe.kind === 'command' ||
    (probe.kind === 'browser' && /^https?:/i.test(probe.target)) ||
    /https?:\/\/|[;&|><`$]|\b(?:rm|mv|write|delete|post|put)\b/i.test(probe.target)
  if (unsafe) findings.add('MANIFEST_HEALTH_PROBE_UNSAFE', { path, note: probe.target })
}

function checkSurfaces(path: string, { surface_order }: CapabilityManifest, findings: Findings): void {
  if (!needsAdapter(surface_order)) return
  findings.add('ADAPTER_REQUIRED', { path, note: surface_order.join(', ') })
}
