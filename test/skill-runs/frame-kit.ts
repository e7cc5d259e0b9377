import { type Frame, type FrameExpectation, parseFrame } from '../../src/knowledge/skill-script/frame.ts'
import { FrameReader } from '../../src/knowledge/skill-script/frame-reader.ts'

/** Parses an output that arrives in one chunk. */
export function readFrame(stdout: string, expected: FrameExpectation): Frame {
  const reader = new FrameReader()
  reader.push(stdout)
  return parseFrame(reader.end(), expected)
}
