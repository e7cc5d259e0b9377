import {
  type Frame,
  type FrameExpectation,
  parseFrame,
} from '../../src/knowledge/skill-script/frame.ts'
import { FrameReader } from '../../src/knowledge/skill-script/frame-reader.ts'

/** The frame of an output that came in one piece. */
export function readFrame(stdout: string, expected: FrameExpectation): Frame {
  const reader = new FrameReader()
  reader.push(stdout)
  return parseFrame(reader.end(), expected)
}
