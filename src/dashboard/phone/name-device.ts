import type { Device } from '@apprentice/contracts/devices/device.ts'

export const nameDevice = ({ label, facts, serial }: Pick<Device, 'label' | 'facts' | 'serial'>): string =>
  label ?? facts.model ?? serial
