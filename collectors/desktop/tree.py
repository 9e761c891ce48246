"""The kept tree of a desktop: what one line of the channel `tree` holds.

One JSON object per capture, written raw, as AT-SPI and the X server said it; keys that say nothing may be left out:

    {
      "screen": [1280, 800],                      width and height in pixels
      "pointer": [640, 400],
      "windows": [                                of the window manager, lowest first
        {"id": 12582915, "title": "notes.txt - Mousepad", "class": "mousepad", "box": [left, top, width, height],
         "active": true, "pid": 41, "hidden": false, "modal": false}
      ],
      "nodes": [                                  every accessible, parents before their children (pre-order)
        {"parent": null, "role": "application", "name": "mousepad", "pid": 41, "toolkit": "gtk 3.24.38"},
        {"parent": 0, "role": "frame", "name": "notes.txt - Mousepad", "states": ["active", "showing", "visible", …],
         "box": [0, 22, 640, 480]},
        {"parent": 1, "role": "text", "name": "", "states": ["editable", "focused", "multi-line", …],
         "box": [0, 47, 640, 400], "text": "hello", "caret": 5, "selection": [0, 5]},
        {"parent": 1, "role": "slider", "name": "Zoom", "value": [1.0, 0.0, 10.0], …}
      ],
      "action": {"output": "…", "error": "Traceback (most recent call last): …"},
      "gone": "display"
    }

- `role`: AT-SPI's role name (`push button`). `states`: AT-SPI's nicks, sorted (`multi-line`). `box`: extents in
  coordinates of the screen as they come, −2147483648 and all; absent where there is no component.
- `text`: what the Text interface gives (absent where there is none), with `text_left_out`: characters cut from its end.
- `description`, `actions` (their names), `value` (now, least, greatest), `attributes` (name to string): where there.
- `children_left_out`: children of this node that were not walked (tables of a million cells, a limit of nodes).
- `flags`, of the whole: what went wrong while walking (`node_gone`, `walk_deadline`, `node_limit`, `application_mute`).
- `action`: what the code before this capture printed, and the traceback it ended with; absent for the first capture.
- `gone`: `display` or `container` where nothing can be looked at any more; there are no `nodes` then.
"""
