import { deviceHierarchy } from './device-hierarchy.ts'
import { deviceQueues } from './device-queues.ts'
import { deviceShell } from './device-shell.ts'
import { deviceTap } from './device-tap.ts'
import { fastSource } from './fast-source.ts'
import type { Figure } from './figure.ts'
import { stepCost } from './step-cost.ts'

export const deviceFigures: readonly Figure[] = [
  deviceShell,
  deviceTap,
  deviceQueues,
  deviceHierarchy,
  stepCost,
  fastSource,
]
