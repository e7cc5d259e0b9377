import { deviceHierarchy } from './device-hierarchy.ts'
import { deviceLanes } from './device-lanes.ts'
import { deviceShell } from './device-shell.ts'
import { deviceTap } from './device-tap.ts'
import type { Figure } from './figure.ts'

export const deviceFigures: readonly Figure[] = [
  deviceShell,
  deviceTap,
  deviceLanes,
  deviceHierarchy,
]
